#pragma once
#include "trainer/loader/rows/row_source.h"

namespace letterpress {

// Every way to read rows; make_source() picks one.
std::unique_ptr<RowSource> make_pread_source(const RowFiles& files, std::function<bool()> given_up);
std::unique_ptr<RowSource> make_mmap_source(const RowFiles& files);
std::unique_ptr<RowSource> make_direct_source(const RowFiles& files);

}  // namespace letterpress
