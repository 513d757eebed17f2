#include "trainer/augment/draws.h"
#include "trainer/augment/padded_boxes.h"

namespace letterpress {
namespace {

constexpr double kMixupChance = 0.5;
// Boxes of both pictures count in full, so both must be visible.
constexpr double kLeastShare = 0.4, kMostShare = 0.6;

PaddedBoxes boxes_of_both(const Batch& batch, const torch::Tensor& other) {
  const torch::Tensor boxes = torch::cat({batch.boxes, batch.boxes.index_select(0, other)}, 1);
  const torch::Tensor flags = torch::cat({batch.flags, batch.flags.index_select(0, other)}, 1);
  return largest({boxes, flags, boxes.select(2, 4) >= 0}, mixed_slots(batch.boxes.size(1), 2));
}

/// arXiv:1710.09412, for boxes as in arXiv:1902.04103, section 3.1.
Batch mixup(const Batch& batch, const BatchPosition& position) {
  if (batch.images.size(0) < 2) return batch;
  const torch::Tensor numbers = draw("mixup", batch, position, 3);
  const torch::Tensor chosen = choose(numbers.select(1, 0), position, kMixupChance),
                      other = choose_others(numbers.select(1, 1));
  const torch::Tensor share = kLeastShare + (kMostShare - kLeastShare) * numbers.select(1, 2);
  const torch::Tensor weight = share.to(batch.images.scalar_type()).view({-1, 1, 1, 1});
  // Picked row by row in their own layout, channels last.
  const torch::Tensor others =
      batch.images.permute({0, 2, 3, 1}).index_select(0, other).permute({0, 3, 1, 2});
  const torch::Tensor mixed = torch::lerp(others, batch.images, weight);
  return with_rows(batch, chosen, mixed, boxes_of_both(batch, other));
}

}  // namespace

extern const BatchAugmentation mixup_batch{
    "mixup",
    "every second picture laid over another one of the rank's batch, 0.4 to 0.6 of each, with the "
    "boxes of both",
    true, mixup};

}  // namespace letterpress
