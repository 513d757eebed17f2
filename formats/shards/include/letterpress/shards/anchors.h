#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Which rows of a picture count.
enum class RowKind { clean, augmented, all };

/// What anchors are made from: widths and heights of the boxes in these rows of `pictures`, pixels
/// of the frame, as stored (cut and scaled by the augmentations). Crowds and boxes without area are
/// left out. When there are n, more than `most`: those at i * n / most, in the pictures' order,
/// which does not depend on which build stored the rows.
std::vector<std::array<float, 2>> box_sizes(const SnapshotReader& reader,
                                            const std::vector<PictureRows>& pictures,
                                            std::size_t most = 200'000,
                                            RowKind rows = RowKind::all);
/// The index of the i-th of n elements that are taken evenly from `total`. n <= total.
inline std::size_t evenly_placed(std::size_t i, std::size_t total, std::size_t n) {
  return i * total / n;
}
/// Adds those of a row, for a caller that has one shard open at a time.
void add_box_sizes(const ShardReader& shard, std::int64_t row,
                   std::vector<std::array<float, 2>>& sizes);

/// Anchor boxes: k-means over widths and heights with distance 1 - IoU of origin-centred boxes
/// (arXiv:1612.08242, section 2), medians as centres; of five k-means++ starts drawn from `seed`
/// the one that is best after ten rounds, settled. sizes, result: pixels of the frame. The result
/// is ordered by area ascending; fewer than k distinct sizes are repeated. Deterministic. Throws
/// Error when there is no size.
std::vector<std::array<double, 2>> kmeans_anchors(std::span<const std::array<float, 2>> sizes,
                                                  int k, std::uint64_t seed = 1);
/// Mean over sizes of the best IoU with an anchor.
double mean_best_iou(std::span<const std::array<float, 2>> sizes,
                     std::span<const std::array<double, 2>> anchors);

}  // namespace letterpress
