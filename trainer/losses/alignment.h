#pragma once
#include <torch/types.h>

#include "trainer/losses/ground_truths.h"

namespace letterpress {

/// What a model without anchors predicts for a batch; P points, C classes.
struct PointPredictions {
  torch::Tensor points;   ///< float [P, 2] x y, pixels of the frame
  torch::Tensor boxes;    ///< float [B, P, 4] x1 y1 x2 y2, pixels of the frame
  torch::Tensor scores;   ///< float [B, P, C] 0..1
  double least_side = 0;  ///< pixels: a shorter side of an object reaches as far when points inside
                          ///< it are looked for. The finest stride leaves no object without one
};

/// Which points should find which ground truth, and with which score.
struct Alignment {
  torch::Tensor positive;      ///< bool [B, P]
  torch::Tensor ground_truth;  ///< int64 [B, P]: row of the ground truth; 0 where not positive
  torch::Tensor
      score;  ///< float [B, P]: target of the ground truth's class, 0..1; 0 where not positive
};

/// Task-aligned assignment, arXiv:2108.07755, section 3.2. Of the points inside a ground truth the
/// ten with the largest score^0.5 * overlap^6 take it, if that is more than 0; overlap is
/// complete_iou(), at least 0. A point that several ground truths claim goes to the one that its
/// box overlaps most. A ground truth's targets are its points' metrics, scaled so that the largest
/// is its largest overlap. Nothing waits for the device. Memory: some tens of bytes x max(M * P,
/// 2^22); pictures are processed in groups.
Alignment align(const GroundTruths& ground_truths, const PointPredictions& predictions);

}  // namespace letterpress
