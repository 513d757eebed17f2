#pragma once
#include <cstddef>
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

}  // namespace letterpress
