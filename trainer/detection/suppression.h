#pragma once
#include <torch/torch.h>

#include <string>

#include "trainer/detection/detection.h"

namespace letterpress {

/// A variant of non-maximum suppression: how taking the best candidate lowers the other candidates'
/// scores. A new one is one file that ends in its entry, one line in the registry, and a test with
/// values from an independent program.
///   best     float64 [4, B, 1] x1 y1 x2 y2: each picture's best candidate
///   boxes    float64 [4, B, K] all of its candidates
///   overlap  DetectionOptions::iou
/// Returns float64 [B, K] factors from 0 (suppressed) to 1 (unchanged), on the boxes' device,
/// without waiting for it.
struct SuppressionEntry {
  const char* name;
  const char* help;
  bool across_classes;  ///< whether candidates of other classes are suppressed too
  torch::Tensor (*factor)(const torch::Tensor& best, const torch::Tensor& boxes, double overlap);
};
/// Throws Error (usage) listing the known names, nearest first.
const SuppressionEntry& find_suppression(const std::string& name);

/// Intersection over union of each box with the best one, [B, K]; NaN where both are empty.
torch::Tensor intersection_over_union(const torch::Tensor& best, const torch::Tensor& boxes);

}  // namespace letterpress
