#pragma once
#include <functional>
#include <memory>

#include "trainer/loader/rows/row_source.h"

namespace letterpress {

/// The way that files.by() names. `files` outlives the source. given_up: called between system
/// calls; when it returns true, the files may be closed already, and the result of finish() does
/// not count.
std::unique_ptr<RowSource> make_source(const RowFiles& files, std::function<bool()> given_up);

// Every way to read rows.
std::unique_ptr<RowSource> make_pread_source(const RowFiles& files, std::function<bool()> given_up);
std::unique_ptr<RowSource> make_mmap_source(const RowFiles& files);
std::unique_ptr<RowSource> make_direct_source(const RowFiles& files);

}  // namespace letterpress
