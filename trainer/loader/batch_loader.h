#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {

/// Which row a picture gives in an epoch: view 1 + (picture_id + epoch) mod K, or view 0 when K = 0 or epoch >= first_clean_epoch.
RowPlace row_of(const PictureRows& picture, std::int64_t epoch, std::int64_t first_clean_epoch);

/// A batch in host memory, row after row. The loader owns it; valid until the next call of next().
struct HostBatch {
  std::uint8_t* images = nullptr;     ///< uint8 [B, S, S, 3]; page-aligned, pinned when the allocator pins
  std::vector<float> boxes;           ///< [B, M, 5]
  std::vector<std::uint8_t> flags;    ///< [B, M]
  std::vector<std::int64_t> label;    ///< [B]
  std::vector<float> weight;          ///< [B]: 0 for padding
  std::vector<std::int64_t> samples;  ///< [B]: index into the picture list
  std::vector<RowPlace> rows;         ///< [B]
};

enum class VerifyRows { first, always, never };  ///< row checksums: on a row's first touch, each time, never

struct LoaderOptions {
  int batch = 16;   ///< rows of this rank's micro-batch
  int threads = 0;  ///< readers; 0: min(4, cores)
  int buffers = 3;  ///< batches in flight
  VerifyRows verify = VerifyRows::first;
  double deadline_s = 120;                     ///< a read that takes longer is an Error naming shard and row
  std::function<void*(std::size_t)> allocate;  ///< for images; empty: page-aligned malloc
  std::function<void(void*)> release;
  std::function<void(const RowPlace&)> before_read;  ///< seam for tests: called by the reader thread
};

/// Reads batches ahead in threads. The sequence of batches is a function from batch number to picture places, so that the same loader
/// serves training (endless) and validation (each picture once, last batch padded with weight 0).
class BatchLoader {
 public:
  /// Which samples make batch `b`; an empty answer ends the sequence. sample -1: padding.
  struct Want {
    std::int64_t sample;
    RowPlace row;
  };
  using Sequence = std::function<std::vector<Want>(std::int64_t b)>;

  BatchLoader(const SnapshotReader& reader, Sequence sequence, std::int64_t first_batch, const LoaderOptions& options);
  ~BatchLoader();

  /// The next batch, or nullptr after the last. Throws the reader's Error (damaged row: shard, row, picture named).
  const HostBatch* next();
  double waited_s() const noexcept;  ///< total time that next() waited for data

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Training: the stream cut in global batches; this rank's slice. steps_done: global batches consumed so far.
BatchLoader::Sequence training_sequence(const std::vector<PictureRows>& pictures, std::uint64_t seed, int global_batch, int rank, int ranks,
                                        std::int64_t first_clean_epoch);
/// Validation: view 0 of every picture once, dealt in turn over the ranks, last batch padded.
BatchLoader::Sequence validation_sequence(const std::vector<PictureRows>& pictures, int batch, int rank, int ranks);

}  // namespace letterpress
