#pragma once
#include <cstdint>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {

/// Which row a picture gives in an epoch: view 1 + (picture_id + epoch) mod K, or view 0 when K = 0
/// or epoch >= first_clean_epoch.
RowPlace row_of(const PictureRows& picture, std::int64_t epoch, std::int64_t first_clean_epoch);

/// In which order training reads its pictures.
struct TrainingOrder {
  std::uint64_t seed = 1;
  int global_batch = 16;               ///< B
  std::int64_t first_clean_epoch = 0;  ///< from which on view 0 is read
  SampleWindow window{};  ///< of pictures in disk order, see put_in_disk_order(); not with a replay
  std::int64_t begin = 0;     ///< position in the stream of batch 0; negative when a later batch is
                              ///< the first to be asked for
  std::int64_t replayed = 0;  ///< how many of the pictures, the last ones, were trained on before
  double replay = 1;  ///< share of those that an epoch has, 0..1; all of them have had their turn
                      ///< before one comes again
};
/// Pictures of an epoch: all that are new, and the share of the others.
std::int64_t samples_of_epoch(std::int64_t pictures, const TrainingOrder& order);
/// Sorts pictures by where training's rows of them lie, as windows want it: the order itself is
/// then a few numbers, no second list.
void put_in_disk_order(std::vector<PictureRows>& pictures);
/// Training: the stream cut in global batches; of batch b this rank's contiguous slice,
/// [B*rank/ranks, B*(rank+1)/ranks): slices of all ranks in order are the global batch, also when B
/// is not divisible. The position in the stream is begin + b * B. Throws Error when there is no
/// picture, or fewer rows in a batch than ranks, or windows are to be replayed; std::logic_error
/// when windows are wanted of pictures in another order.
BatchLoader::Sequence training_sequence(const std::vector<PictureRows>& pictures,
                                        const TrainingOrder& order, int rank, int ranks);
/// Rows of a global batch that fall to a rank, and the first of them.
std::int64_t first_row_of_rank(std::int64_t global_batch, int rank, int ranks);
std::int64_t rows_of_rank(std::int64_t global_batch, int rank, int ranks);
/// Validation: view 0 of every picture once, dealt in turn over the ranks, last batch padded. Every
/// rank has the same number of batches.
BatchLoader::Sequence validation_sequence(const std::vector<PictureRows>& pictures, int batch,
                                          int rank, int ranks);
/// Accumulation: batch b of the answer is contiguous part b mod parts of `sequence`'s batch b /
/// parts, which has at least `parts` rows.
BatchLoader::Sequence micro_batches(BatchLoader::Sequence sequence, int parts);

}  // namespace letterpress
