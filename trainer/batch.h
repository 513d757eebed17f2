#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace letterpress {

/// One step's input, on this rank's device.
struct Batch {
  torch::Tensor images;  ///< float32|bfloat16|float16 [B, 3, side, side], 0..1, channels_last
  torch::Tensor boxes;   ///< float32 [B, max_boxes, 5], x1 y1 x2 y2 class: pixels of the frame;
                         ///< unused rows 0 0 0 0 -1
  torch::Tensor flags;   ///< uint8 [B, max_boxes]: BoxFlag bits
  torch::Tensor label;   ///< int64 [B]: class of the whole picture, -1 in detection sets
  torch::Tensor weight;  ///< float32 [B]: 0 for the padding of validation's last batch
  std::vector<std::int64_t> rows;  ///< host: index into the sample list, for messages
};

}  // namespace letterpress
