#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "python/src/opened_snapshot.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress::python {

/// What a Loader is made with. Names and values are those of fit's flags where it has them.
struct PictureLoaderOptions {
  std::string split = "train";
  int batch = 16;                   ///< rows over all ranks
  std::string views = "augmented";  ///< or "clean": view 0 only
  std::string order = "shuffle";    ///< or "window", or "once": each picture once, for validation
  std::string sample = "all";       ///< or "balanced"; not with order "window" or "once"
  double rare_below = 0;            ///< of "balanced"
  std::uint64_t seed = 1;
  int rank = 0, world_size = 1;
  std::string dtype = "uint8";                  ///< or "float32", "bfloat16"
  std::string read = "auto", verify = "first";  ///< as fit's
  std::optional<std::int64_t> clean_from{};     ///< epoch from which view 0 is read
  LoaderOptions loading{};                      ///< threads, buffers, deadline_s
};

/// A batch that belongs to its holder, to be changed at will. B rows; S: pixels of a side; M: boxes
/// that a row has room for.
struct OwnBatch {
  ImageMemory::Block images{};               ///< [B, S, S, 3] of `shape.pixels`
  BatchShape shape{};                        ///< its batch is B
  std::vector<float> boxes{};                ///< [B, M, 5]: x1 y1 x2 y2 class; unused 0 0 0 0 -1
  std::vector<std::uint8_t> flags{};         ///< [B, M]: bit 0 crowd, 1 difficult, 2 cut
  std::vector<std::int64_t> counts{};        ///< [B]: boxes in use
  std::vector<std::int64_t> labels{};        ///< [B]: class of the whole picture, or -1
  std::vector<float> weights{};              ///< [B]: 0 for padding, else 1
  std::vector<std::uint64_t> picture_ids{};  ///< [B]; 0 for padding
  std::vector<std::int64_t> views{};         ///< [B]: 0 clean, 1..K augmented, -1 for padding
  std::vector<std::int64_t> tiles{};         ///< [B]: 0 where pictures are whole, -1 for padding
};

/// The trainer's loader for Python: one endless stream, whose position is one whole number, so that
/// any batch and any world size continue it. The readers begin with the first batch. Thread-safe.
/// In a process that was forked afterwards all throw Error but the destructor.
class PictureLoader {
 public:
  /// Owners of `snapshot`: this and Python's other objects. Throws Error (usage, configuration,
  /// no_input) for options that cannot be.
  PictureLoader(std::shared_ptr<const OpenedSnapshot> snapshot, PictureLoaderOptions options);
  ~PictureLoader();
  PictureLoader(const PictureLoader&) = delete;
  PictureLoader& operator=(const PictureLoader&) = delete;

  /// The next batch, if it is of `epoch`. Throws as BatchLoader::next() does.
  std::optional<OwnBatch> next_of(std::int64_t epoch);

  /// In the stream: samples of all ranks that were given; with order "once" batches.
  std::int64_t position() const;
  /// Goes on there; with order "once" the next pass, too. Throws Error when it is negative or over
  /// kMostPosition.
  void seek(std::int64_t position);
  static constexpr std::int64_t kMostPosition = std::int64_t{1} << 62;
  /// Of all ranks in one of the batches that `position` counts with order "once".
  std::int64_t rows_of_batch() const noexcept {
    return std::int64_t{options_.loading.batch} * options_.world_size;
  }
  std::int64_t epoch() const;
  /// Batches until the epoch of `position` is over.
  std::int64_t batches_left() const;
  /// Begins a pass, of the epoch that is returned: where order "once" stands in the middle of one,
  /// and nobody sought it, its beginning.
  std::int64_t begin_pass();

  const PictureLoaderOptions& options() const noexcept { return options_; }
  const OpenedSnapshot& snapshot() const noexcept { return *snapshot_; }
  /// "rows are read by mmap: ..."; empty before the first batch.
  std::string reading() const;
  double waited_s() const;  ///< for data, since the readers began

 private:
  bool once() const noexcept { return options_.order == "once"; }
  void balance();
  TrainingOrder training_order(std::int64_t begin) const;
  BatchSequence sequence(std::int64_t begin) const;
  std::unique_lock<std::mutex> lock() const;
  // With the lock:
  std::int64_t place() const { return begin_ + given_ * stride_; }
  void go_to(std::int64_t position);
  void start_readers();
  void stop_readers();
  OwnBatch own(const HostBatch& batch);

  std::shared_ptr<const OpenedSnapshot> snapshot_;
  PictureLoaderOptions options_;
  std::vector<PictureRows> pictures_;
  std::vector<float> factors_{};          ///< of sample "balanced"
  std::int64_t length_ = 1, stride_ = 1;  ///< of an epoch, of a batch
  pid_t process_;
  mutable std::mutex mutex_;
  std::int64_t begin_ = 0, given_ = 0;  ///< where the readers began; batches since
  bool sought_ = false;                 ///< since the last pass began
  std::unique_ptr<BatchLoader> loader_;
};

}  // namespace letterpress::python
