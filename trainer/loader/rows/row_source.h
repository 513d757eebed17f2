#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "trainer/loader/pixels/row_sink.h"
#include "trainer/loader/rows/row_files.h"

namespace letterpress {

/// How one reader thread gets the bytes of rows: reads begin in order, up to depth() ahead, and
/// finish in that order. The destructor waits for reads that began. One file per way:
/// pread_source.cpp, mmap_source.cpp, direct_source.cpp.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::size_t depth() const noexcept { return 1; }
  virtual void begin(const RowPlace& place) = 0;
  /// Passes all bytes of the row that was begun first to `sink`, which was started for it.
  virtual std::optional<RowFailure> finish(RowSink& sink) = 0;
};

/// The way that files.by() names. `files` outlives the source. given_up: called between system
/// calls; when it returns true, the files may be closed already, and the result of finish() does
/// not count.
std::unique_ptr<RowSource> make_source(const RowFiles& files, std::function<bool()> given_up);

}  // namespace letterpress
