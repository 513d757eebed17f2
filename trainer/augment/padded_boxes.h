#pragma once
#include "trainer/augment/batch_augmentation.h"
#include "trainer/batch.h"

namespace letterpress {

/// Labelled boxes of B pictures, N slots each.
struct PaddedBoxes {
  torch::Tensor boxes;  ///< float32 [B, N, 5], x1 y1 x2 y2 class
  torch::Tensor flags;  ///< uint8 [B, N]: BoxFlag bits
  torch::Tensor used;  ///< bool [B, N]: the slot holds a box; the content of others does not matter
};

/// Slots for the boxes of `pictures` pictures in one, of n slots each: enough for all of them, up
/// to kMostMixedBoxes, and n at least.
std::int64_t mixed_slots(std::int64_t n, std::int64_t pictures);

/// The same in n slots, n <= N, largest boxes first; of more than n the smallest are dropped.
/// Unused slots are 0 0 0 0 -1 without flags.
PaddedBoxes largest(const PaddedBoxes& boxes, std::int64_t n);

/// Boxes that reach over the frame of `side` pixels, cut at it and flagged so. Unused from then on:
/// those that the rule drops.
PaddedBoxes cut_at_frame(const PaddedBoxes& boxes, double side, const BoxRule& rule);

/// The batch with other images, shaped as its own, and boxes in the rows of `chosen`, bool [B]. The
/// boxes may have more slots than the batch; then so has the result.
Batch with_rows(const Batch& batch, const torch::Tensor& chosen, const torch::Tensor& images,
                const PaddedBoxes& boxes);

/// The batch with as many slots for boxes as a row needs, `least` at least. Not on a device, which
/// would have to be waited for: there all stay.
Batch without_idle_slots(const Batch& batch, std::int64_t least);

}  // namespace letterpress
