#pragma once
#include <torch/types.h>

#include "trainer/losses/ground_truths.h"

namespace letterpress {

/// Anchor of each ground truth, int64 [B, M]: the one with the largest IoU when both are centred on
/// the origin; the first of equal ones.
///   anchors  float32 [K, 2] width height, pixels of the frame
///   used     bool [K]: anchors of some head; the others take no ground truth
torch::Tensor best_anchors(const GroundTruths& ground_truths, const torch::Tensor& anchors,
                           const torch::Tensor& used);

/// Which ground truths a head should find, where, and as what.
struct Assignment {
  torch::Tensor positive;  ///< bool [B, M]: ground truth m is an object of this head; of two in one
                           ///< cell and anchor only the last row
  torch::Tensor
      prediction;       ///< int64 [B, M]: index of its prediction in the head; 0 where not positive
  torch::Tensor xy;     ///< float32 [B, M, 2]: centre within its cell, 0..1 (1 only at the frame's
                        ///< right and bottom edge)
  torch::Tensor wh;     ///< float32 [B, M, 2]: log(size / anchor); 0 where not positive
  torch::Tensor taken;  ///< bool [B, P]: prediction has a ground truth
};
/// The head's cells and, as tensors of its device, its anchors.
struct HeadGrid {
  int stride;
  std::int64_t height, width;
  torch::Tensor place;    ///< int64 [K]: position of each anchor of the graph among the head's, -1:
                          ///< not of this head
  torch::Tensor anchors;  ///< float32 [K, 2]: all of the graph's
  std::int64_t n_anchors;
};
Assignment assign(const GroundTruths& ground_truths, const torch::Tensor& best_anchor,
                  const HeadGrid& grid);

/// Predictions without ground truth that do not count as negatives, bool [B, P]: IoU with an
/// object of the picture >= ignore_iou, or the cell's centre inside a crowd region.
///   boxes    float32 [B, P, 4], decoded
///   centres  float32 [P, 2], of the cells
/// Memory: a few times 4 bytes x max(B * P, 2^22); ground truths are processed in groups.
torch::Tensor excused(const torch::Tensor& boxes, const torch::Tensor& centres,
                      const GroundTruths& ground_truths, double ignore_iou);

}  // namespace letterpress
