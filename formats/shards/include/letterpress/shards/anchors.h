#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace letterpress {

/// Anchor boxes: k-means over widths and heights with distance 1 - IoU of origin-centred boxes (arXiv:1612.08242, section 2), medians
/// as centres; the best of five k-means++ starts drawn from `seed`. sizes, result: pixels of the frame. The result is ordered by area
/// ascending; fewer than k distinct sizes are repeated. Deterministic. Throws Error when there is no size.
std::vector<std::array<double, 2>> kmeans_anchors(std::span<const std::array<float, 2>> sizes, int k, std::uint64_t seed = 1);
/// Mean over sizes of the best IoU with an anchor.
double mean_best_iou(std::span<const std::array<float, 2>> sizes, std::span<const std::array<double, 2>> anchors);

}  // namespace letterpress
