#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "letterpress/shards/store.h"
#include "trainer/loader/host_batch.h"
#include "trainer/loader/image_memory.h"
#include "trainer/loader/loader_options.h"
#include "trainer/loader/rows/read_choice.h"

namespace letterpress {

/// Throws Error (usage) that lists the names.
VerifyRows verify_rows_from(const std::string& name);

/// LoaderOptions::threads, with the rule for 0 applied.
int reader_count(const LoaderOptions& options);

struct LoaderState;
/// What all batches of a loader have in common.
struct BatchShape {
  int batch, side, max_boxes;  ///< LoaderOptions::batch; pixels; M
  PixelType pixels;
};

/// Reads batches ahead in threads. The sequence of batches is a function from batch number to
/// picture places, so that the same loader serves training (endless) and validation (each picture
/// once, last batch padded with weight 0). The constructor allocates all memory: buffers * batch
/// rows, and 8 rows per thread for direct reads. next() and waited_s() belong to one thread, which
/// also calls the sequence. The destructor stops the readers at their next row; it leaves a read
/// that hangs beyond the deadline behind and does not wait for it.
class BatchLoader {
 public:
  /// `reader` outlives the loader. Throws Error when an option is out of range or memory is short.
  BatchLoader(const SnapshotReader& reader, BatchSequence sequence, std::int64_t first_batch,
              const LoaderOptions& options);
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch, or nullptr after the last. Throws the reader's Error when this batch could not
  /// be read (damaged row, failed or hanging read: shard, row, picture named), and again on every
  /// further call; batches before it are delivered.
  const HostBatch* next();
  /// The images of the batch that next() returned last, for a consumer that keeps them; its
  /// HostBatch::images is no longer valid. They are read into no more until the block is let go,
  /// which may be after the loader's end. Throws Error when there is no memory to go on with.
  ImageMemory::Block take_images();
  BatchShape shape() const noexcept;
  const ReadChoice& read_choice() const noexcept;
  double waited_s() const noexcept;  ///< total time that next() waited for data

 private:
  std::shared_ptr<LoaderState>
      state_;  // with the reader threads: one that hangs may be left behind
};

}  // namespace letterpress
