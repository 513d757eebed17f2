#pragma once
#include <torch/torch.h>

namespace letterpress {

/// Labelled boxes of B pictures, in N places each.
struct PaddedBoxes {
  torch::Tensor boxes;  ///< float32 [B, N, 5], x1 y1 x2 y2 class
  torch::Tensor flags;  ///< uint8 [B, N]: BoxFlag bits
  torch::Tensor used;   ///< bool [B, N]: there is a box; what the others hold does not matter
};

/// The same in n places, n <= N, largest boxes first: of more than n the smallest are dropped.
/// Unused places are 0 0 0 0 -1 without flags.
PaddedBoxes largest(const PaddedBoxes& boxes, std::int64_t n);

}  // namespace letterpress
