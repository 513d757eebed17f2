#pragma once
#include <cstdint>
#include <vector>

#include "letterpress/shards/store.h"
#include "trainer/loader/epoch_places.h"
#include "trainer/loader/host_batch.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {

/// Which row a picture gives in an epoch: view 1 + (picture_id + epoch + repeat) mod K, or view 0
/// when K = 0 or epoch >= first_clean_epoch. repeat: EpochPlaces::Holder's, so that what comes
/// again within an epoch comes as another view.
RowPlace row_of(const PictureRows& picture, std::int64_t epoch, std::int64_t first_clean_epoch,
                std::int64_t repeat = 0);

/// The order in which training reads its pictures.
struct TrainingOrder {
  std::uint64_t seed = 1;
  int global_batch = 16;               ///< B
  std::int64_t first_clean_epoch = 0;  ///< from this epoch on view 0 is read
  SampleWindow window{};  ///< of pictures in disk order, see put_in_disk_order(); not with a replay
  std::int64_t begin = 0;     ///< position of batch 0 in the stream; negative when the first batch
                              ///< asked for is a later one
  std::int64_t replayed = 0;  ///< how many of the pictures, the last ones, were trained on before
  double replay =
      1;  ///< share of those in an epoch, 0..1; each is read once before any is read again
  Repeats repeats{};  ///< pictures that come more often; neither with windows nor with a replay
};
/// Places of an epoch: of all new pictures and the share of the others, with the repeats.
std::int64_t samples_of_epoch(std::int64_t pictures, const TrainingOrder& order);
/// Sorts pictures by where training's rows of them are on the disk, as windows need it: the order
/// itself then takes a few numbers and not a second list.
void put_in_disk_order(std::vector<PictureRows>& pictures);
/// Training: the stream cut into global batches. This rank's contiguous slice of batch b is
/// [B*rank/world_size, B*(rank+1)/world_size): the slices of all ranks in order are the global
/// batch, also when the world size does not divide B. The position in the stream is begin + b * B.
/// Throws Error when there is no picture, when a batch has fewer rows than the world size, or for
/// windows with a replay or repeats, or for both; std::logic_error for windows of pictures in
/// another order.
BatchSequence training_sequence(const std::vector<PictureRows>& pictures,
                                const TrainingOrder& order, int rank, int world_size);
/// A rank's first row in a global batch, and how many rows it has.
std::int64_t first_row_of_rank(std::int64_t global_batch, int rank, int world_size);
std::int64_t rows_of_rank(std::int64_t global_batch, int rank, int world_size);
/// Validation: view 0 of every picture once, dealt in turn over the ranks, last batch padded. Every
/// rank has the same number of batches.
BatchSequence validation_sequence(const std::vector<PictureRows>& pictures, int batch, int rank,
                                  int world_size);
/// Accumulation: batch b of the result is contiguous part b mod parts of `sequence`'s batch b /
/// parts, which has at least `parts` rows.
BatchSequence micro_batches(BatchSequence sequence, int parts);

}  // namespace letterpress
