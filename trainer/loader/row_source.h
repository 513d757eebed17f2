#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "trainer/loader/row_files.h"
#include "trainer/loader/row_sink.h"

namespace letterpress {

/// One reader thread's way to the bytes of rows: reads are begun in order, up to depth() ahead, and
/// finished in that order. The destructor waits for what was begun. One file per way:
/// pread_source.cpp, mmap_source.cpp, direct_source.cpp.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual std::size_t depth() const noexcept { return 1; }
  virtual void begin(const RowPlace& place) = 0;
  /// All bytes of the row that was begun first go to `sink`, which was started for it.
  virtual std::optional<RowFailure> finish(RowSink& sink) = 0;
};

/// The way that files.by() says. `files` outlives the source. given_up: asked between system calls;
/// when it answers true, the files may be closed already, and what finish() answers does not count.
std::unique_ptr<RowSource> make_source(const RowFiles& files, std::function<bool()> given_up);

}  // namespace letterpress
