#include "trainer/metrics/matching.h"

#include <algorithm>

namespace letterpress {

const std::array<double, kIouThresholds>& iou_thresholds() {
  static const auto thresholds = [] {
    std::array<double, kIouThresholds> values{};
    const double step = (.95 - .5) / (kIouThresholds - 1);
    for (int i = 0; i < kIouThresholds; ++i) values[static_cast<std::size_t>(i)] = i * step + .5;
    values.back() = .95;
    return values;
  }();
  return thresholds;
}

// Widths and crowds as pycocotools has them, to the bit: base/extent.h has corners.
double overlap(const Found& found, const GroundTruth& ground_truth) {
  const CocoBox &d = found.box, &g = ground_truth.box;
  const double w = std::min(d.x + d.width, g.x + g.width) - std::max(d.x, g.x);
  const double h = std::min(d.y + d.height, g.y + g.height) - std::max(d.y, g.y);
  if (w <= 0 || h <= 0) return 0;
  const double intersection = w * h;
  return intersection / (ground_truth.crowd
                             ? d.width * d.height
                             : d.width * d.height + g.width * g.height - intersection);
}

Matching::Matching(std::span<const GroundTruth* const> ground_truths,
                   const std::function<bool(const GroundTruth&)>& ignored)
    : ground_truths_(ground_truths),
      ignored_(ground_truths.size()),
      taken_(ground_truths.size(), 0),
      order_(ground_truths.size()) {
  for (std::size_t i = 0; i < ground_truths.size(); ++i) {
    ignored_[i] = ignored(*ground_truths[i]);
    order_[i] = static_cast<int>(i);
  }
  std::stable_partition(order_.begin(), order_.end(), [&](int i) { return !this->ignored(i); });
}

int Matching::take(std::span<const double> overlaps, double threshold) {
  double best = std::min(threshold, 1 - 1e-10);
  int found = -1;
  for (const int ground_truth : order_) {
    const auto i = static_cast<std::size_t>(ground_truth);
    if (taken_[i] && !ground_truths_[i]->crowd) continue;
    // The ignored ones are last in the order.
    if (found >= 0 && ignored_[i] && !ignored(found)) break;
    // Written so that an overlap of NaN does not match.
    if (!(overlaps[i] >= best)) continue;
    best = overlaps[i];
    found = ground_truth;
  }
  if (found >= 0) taken_[static_cast<std::size_t>(found)] = 1;
  return found;
}

void Matching::free_all() { std::fill(taken_.begin(), taken_.end(), 0); }

}  // namespace letterpress
