#pragma once
#include <torch/types.h>

namespace letterpress {

/// uint8 [B, side, side, 3] -> images, float32|bfloat16|float16 [B, 3, side, side] channels_last,
/// 0..1. NHWC bytes seen as NCHW are channels_last already: nothing is transposed. One kernel on
/// CUDA.
void normalise(const torch::Tensor& packed, torch::Tensor& images);

}  // namespace letterpress
