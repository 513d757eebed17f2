#pragma once
#include "trainer/batch.h"

namespace letterpress {

/// Labelled boxes of B pictures, N slots each.
struct PaddedBoxes {
  torch::Tensor boxes;  ///< float32 [B, N, 5], x1 y1 x2 y2 class
  torch::Tensor flags;  ///< uint8 [B, N]: BoxFlag bits
  torch::Tensor used;  ///< bool [B, N]: the slot holds a box; the content of others does not matter
};

/// The same in n slots, n <= N, largest boxes first; of more than n the smallest are dropped.
/// Unused slots are 0 0 0 0 -1 without flags.
PaddedBoxes largest(const PaddedBoxes& boxes, std::int64_t n);

/// Boxes that reach over the frame of `side` pixels, cut at it and flagged so. Unused from then on:
/// those of which less than 0.15 of the area is left, or a side of 2 pixels or less, as in recipe
/// detect.
PaddedBoxes cut_at_frame(const PaddedBoxes& boxes, double side);

/// The batch with other images and boxes in the rows of `chosen`, bool [B]; both shaped as its own.
Batch with_rows(const Batch& batch, const torch::Tensor& chosen, const torch::Tensor& images,
                const PaddedBoxes& boxes);

}  // namespace letterpress
