#include "trainer/metrics/matching.h"

#include <algorithm>
#include <limits>

namespace letterpress {
namespace {

/// Scores descending; a score that is no number ranks last, as numpy sorts it.
bool ranks_before(const Detection* a, const Detection* b) {
  if (a->score != a->score) return false;
  return b->score != b->score || a->score > b->score;
}

/// Index of the truth that a detection takes, or -1.
int best_truth(std::span<const double> overlaps, double threshold, std::span<const LabelBox* const> truths, std::span<const int> order,
               std::span<const char> ignored, std::span<const char> taken) {
  double best = std::min(threshold, 1 - 1e-10);
  int found = -1;
  for (const int truth : order) {
    const auto i = static_cast<std::size_t>(truth);
    if (taken[i] && !(truths[i]->flags & kCrowd)) continue;
    // The ignored ones stand last in `order`.
    if (found >= 0 && ignored[i] && !ignored[static_cast<std::size_t>(found)]) break;
    // So written, an overlap that is no number is no match.
    if (!(overlaps[i] >= best)) continue;
    best = overlaps[i];
    found = truth;
  }
  return found;
}

}  // namespace

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

double overlap(const Detection& detection, const LabelBox& truth) {
  const double dx = detection.x1, dy = detection.y1, gx = truth.x1, gy = truth.y1;
  const double dw = detection.x2 - dx, dh = detection.y2 - dy, gw = truth.x2 - gx, gh = truth.y2 - gy;
  const double w = std::min(dx + dw, gx + gw) - std::max(dx, gx);
  const double h = std::min(dy + dh, gy + gh) - std::max(dy, gy);
  if (w <= 0 || h <= 0) return 0;
  const double intersection = w * h;
  return intersection / ((truth.flags & kCrowd) ? dw * dh : dw * dh + gw * gh - intersection);
}

void match(std::span<const Detection* const> detections, std::span<const LabelBox* const> truths, std::span<const char> ignored,
           std::vector<Verdict>& verdicts) {
  std::vector<const Detection*> ranked(detections.begin(), detections.end());
  std::stable_sort(ranked.begin(), ranked.end(), ranks_before);
  if (ranked.size() > kDetectionsPerClass) ranked.resize(kDetectionsPerClass);

  const std::size_t n = truths.size();
  std::vector<int> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<int>(i);
  std::stable_partition(order.begin(), order.end(), [&](int i) { return !ignored[static_cast<std::size_t>(i)]; });

  std::vector<double> overlaps(n);
  std::vector<char> taken(n * kIouThresholds, 0);
  for (const Detection* detection : ranked) {
    // No number as score, as a diverged model gives, ranks last from here on without breaking later sorts.
    Verdict verdict{detection->score == detection->score ? detection->score : -std::numeric_limits<float>::infinity()};
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, overlaps[i] = overlap(*detection, *truths[i]));
    for (std::size_t t = 0; t < kIouThresholds && largest >= iou_thresholds()[t]; ++t) {
      const std::span<char> taken_at(taken.data() + t * n, n);
      const int truth = best_truth(overlaps, iou_thresholds()[t], truths, order, ignored, taken_at);
      if (truth < 0) continue;
      taken_at[static_cast<std::size_t>(truth)] = 1;
      verdict.matched = static_cast<std::uint16_t>(verdict.matched | 1u << t);
      if (ignored[static_cast<std::size_t>(truth)]) verdict.ignored = static_cast<std::uint16_t>(verdict.ignored | 1u << t);
    }
    verdicts.push_back(verdict);
  }
}

double average_precision(std::span<const Verdict> verdicts, std::int64_t truths, int threshold) {
  std::vector<double> precision, recall;
  precision.reserve(verdicts.size());
  recall.reserve(verdicts.size());
  std::int64_t right = 0, wrong = 0;
  for (const Verdict& verdict : verdicts) {
    if (!(verdict.ignored >> threshold & 1)) ++((verdict.matched >> threshold & 1) ? right : wrong);
    const auto positives = static_cast<double>(right);
    recall.push_back(positives / static_cast<double>(truths));
    precision.push_back(positives / (static_cast<double>(wrong) + positives + std::numeric_limits<double>::epsilon()));
  }
  for (std::size_t i = precision.size(); i-- > 1;) precision[i - 1] = std::max(precision[i - 1], precision[i]);

  double sum = 0;
  auto reached = recall.begin();
  for (int point = 0; point < kRecallPoints; ++point) {
    const double wanted = point == kRecallPoints - 1 ? 1.0 : point * .01;
    reached = std::lower_bound(reached, recall.end(), wanted);
    if (reached == recall.end()) break;
    sum += precision[static_cast<std::size_t>(reached - recall.begin())];
  }
  return sum / kRecallPoints;
}

}  // namespace letterpress
