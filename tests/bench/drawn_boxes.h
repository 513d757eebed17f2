#pragma once
#include <torch/types.h>

#include <cmath>

namespace letterpress {

/// Boxes of 1/40 to 1/2 of a frame's side, x1 y1 x2 y2 in its pixels, the same on every machine:
/// float32 [pictures, n, 4].
inline torch::Tensor drawn_boxes(std::int64_t pictures, std::int64_t n, double side) {
  const auto numbers = torch::arange(pictures * n * 4, torch::kDouble).view({pictures, n, 4});
  const torch::Tensor spread =
      (numbers * 0.6180339887498949).frac();  // multiples of the golden ratio fill 0..1 evenly
  const torch::Tensor size = spread.narrow(2, 2, 2).mul(std::log(20.0)).exp().mul(side / 40);
  const torch::Tensor first = spread.narrow(2, 0, 2) * (side - size);
  return torch::cat({first, first + size}, 2).to(torch::kFloat);
}

}  // namespace letterpress
