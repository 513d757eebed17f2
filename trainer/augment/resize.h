#pragma once
#include <torch/types.h>

#include "trainer/batch.h"

namespace letterpress {

/// Pictures at another side: bilinear between pixel centres at i + 0.5; anti-aliased when they
/// shrink, as Pillow's BILINEAR (a triangle that covers two pixels of the result). Nothing waits
/// for the device.
///   images  float32|bfloat16|float16 [B, 3, s, s] channels_last
///   result  the same type and layout, [B, 3, side, side]; `images` themselves if they have that
///           side
torch::Tensor resize(const torch::Tensor& images, std::int64_t side);

/// The batch at that side: its boxes grow or shrink with the pictures. What does not change is
/// shared with `batch`.
Batch resized(const Batch& batch, std::int64_t side);

}  // namespace letterpress
