#pragma once
#include <torch/types.h>

namespace letterpress {

/// Numbers first, first + 1, ..., [n]. Made on the device of `options`: a copy from the host would
/// wait for it.
torch::Tensor count_from(double first, std::int64_t n, const torch::TensorOptions& options);

/// Centre of each cell of a grid, [height * width, 2] x y, pixels of the frame; row after row.
torch::Tensor cell_centres(int stride, std::int64_t height, std::int64_t width,
                           const torch::TensorOptions& options);

}  // namespace letterpress
