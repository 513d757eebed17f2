#pragma once
#include <torch/types.h>

#include "trainer/batch.h"

namespace letterpress {

/// The labelled boxes of a batch, on its device. Nothing in this header waits for the device.
struct GroundTruths {
  torch::Tensor boxes;    ///< float32 [B, M, 4] x1 y1 x2 y2, pixels of the frame
  torch::Tensor classes;  ///< int64 [B, M], -1 in unused rows
  torch::Tensor objects;  ///< bool [B, M]: to be found: used, not a crowd, width and height > 0
  torch::Tensor crowds;   ///< bool [B, M]: regions of many objects that are not labelled one by one
};
GroundTruths ground_truths_of(const Batch& batch);

/// Points inside regions, left and top edge included, bool [B, P, m].
///   points   float [P, 2] x y
///   regions  float [B, m, 4] x1 y1 x2 y2
torch::Tensor inside(const torch::Tensor& points, const torch::Tensor& regions);

}  // namespace letterpress
