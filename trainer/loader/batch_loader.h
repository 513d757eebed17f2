#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/image_memory.h"
#include "trainer/loader/loader_clock.h"
#include "trainer/loader/pixels/row_sink.h"
#include "trainer/loader/rows/read_choice.h"

namespace letterpress {

/// A batch in host memory, row after row. The loader owns it; valid until the next call of next()
/// (finish an asynchronous copy from it first). B is what the sequence asked for, at most
/// LoaderOptions::batch; M is the snapshot's largest max_boxes.
struct HostBatch {
  std::uint8_t* images = nullptr;   ///< [B, S, S, 3] of LoaderOptions::pixels; page-aligned, pinned
                                    ///< when the allocator pins
  std::vector<float> boxes;         ///< [B, M, 5], as in the shard; unused rows 0 0 0 0 -1
  std::vector<std::uint8_t> flags;  ///< [B, M]
  std::vector<std::int64_t> label;  ///< [B]
  std::vector<float> weight;  ///< [B]: 0 for padding (grey pixels, no boxes, label -1), else 1
  std::vector<std::int64_t> samples;  ///< [B]: index into the picture list, -1 for padding
  std::vector<RowPlace> rows;         ///< [B]
};

/// Row checksums: on a row's first touch, each time, never.
enum class VerifyRows { first, always, never };
/// By VerifyRows.
inline constexpr std::array<std::string_view, 3> kVerifyNames{"first", "always", "never"};
/// Throws Error (usage) that lists the names.
VerifyRows verify_rows_from(const std::string& name);

struct LoaderOptions {
  int batch = 16;   ///< rows of this rank's micro-batch; the most that a sequence may ask for
  int threads = 0;  ///< readers; 0: min(4, cores)
  int buffers = 3;  ///< batches in memory with the consumer's; >= 2, more for jittery disks
  VerifyRows verify = VerifyRows::first;
  PixelType pixels = PixelType::bytes;  ///< bytes for a GPU, which normalises; floats for a CPU
  ReadBy read = ReadBy::automatic;      ///< change it when BatchLoader::read_choice() is wrong
  /// Batches that the page cache is told of ahead, in the disk's order, while those before them are
  /// read: a window's, for disks that seek slowly. It is told of the first ones while they are
  /// read, at twice the pace. 0: none.
  int advise = 0;
  double deadline_s = 40;  ///< a read that takes longer is an Error naming shard and row
  /// For images, on a multiple of 64; empty: whole pages. Returning nullptr is an Error.
  std::function<void*(std::size_t)> allocate = {};
  /// Given with `allocate` or not at all; the thread that lets go last calls it.
  std::function<void(void*)> release = {};
  // Seams for tests.
  std::function<void(const RowPlace&)> before_read = {};  ///< the reader thread calls it
  std::function<void(const RowPlace&)> advised = {};  ///< of rows that the page cache is told of
  LoaderClock* clock = nullptr;  ///< outlives the loader; null: the steady clock
};

/// LoaderOptions::threads, with the rule for 0 applied.
int reader_count(const LoaderOptions& options);

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
  /// Returns which samples make batch `b`; none end the sequence. sample -1: padding.
  struct Want {
    std::int64_t sample;
    RowPlace row;
  };
  using Sequence = std::function<std::vector<Want>(std::int64_t b)>;

  /// `reader` outlives the loader. Throws Error when an option is out of range or memory is short.
  BatchLoader(const SnapshotReader& reader, Sequence sequence, std::int64_t first_batch,
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

  struct State;

 private:
  std::shared_ptr<State> state_;  // with the reader threads: one that hangs may be left behind
};

}  // namespace letterpress
