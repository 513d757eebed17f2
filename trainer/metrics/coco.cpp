#include "trainer/metrics/coco.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace letterpress {
namespace {

/// Mean over the thresholds.
double mean_precision(const ClassVerdicts& one, int range) {
  double sum = 0;
  for (int threshold = 0; threshold < kIouThresholds; ++threshold)
    sum += average_precision(one, range, threshold);
  return sum / kIouThresholds;
}

/// Share of the ground truths found among the `most` best detections of each picture, mean over the
/// thresholds.
double mean_recall(const ClassVerdicts& one, int range, int most) {
  std::int64_t right = 0;
  for (const Verdict& verdict : one.verdicts) {
    if (verdict.rank >= most) continue;
    for (int threshold = 0; threshold < kIouThresholds; ++threshold)
      right += verdict.right(range, threshold);
  }
  return static_cast<double>(right) /
         static_cast<double>(one.ground_truths[static_cast<std::size_t>(range)]) / kIouThresholds;
}

double mean(const std::vector<ClassVerdicts>& judged, int range,
            const std::function<double(const ClassVerdicts&)>& metric) {
  double sum = 0;
  int counted = 0;
  for (const ClassVerdicts& one : judged) {
    if (one.ground_truths[static_cast<std::size_t>(range)] == 0) continue;
    sum += metric(one);
    ++counted;
  }
  return counted ? sum / counted : -1;
}

double mean(const std::vector<CocoMetrics::PerClass>& classes,
            double CocoMetrics::PerClass::*metric) {
  double sum = 0;
  int counted = 0;
  for (const CocoMetrics::PerClass& one : classes) {
    if (one.ground_truths == 0) continue;
    sum += one.*metric;
    ++counted;
  }
  return counted ? sum / counted : -1;
}

CocoMetrics::PerClass per_class(const ClassVerdicts& one) {
  CocoMetrics::PerClass metrics{.ground_truths = one.ground_truths[kAllAreas]};
  if (metrics.ground_truths == 0) return metrics;
  metrics.ap = mean_precision(one, kAllAreas);
  metrics.ap50 = average_precision(one, kAllAreas, 0);
  metrics.ap75 = average_precision(one, kAllAreas, 5);
  metrics.ar100 = mean_recall(one, kAllAreas, kDetectionsPerClass);
  return metrics;
}

}  // namespace

std::array<double, kRecallPoints> precision_at_recalls(const ClassVerdicts& one, int range,
                                                       int threshold) {
  std::vector<double> precision, recall;
  precision.reserve(one.verdicts.size());
  recall.reserve(one.verdicts.size());
  const auto ground_truths =
      static_cast<double>(one.ground_truths[static_cast<std::size_t>(range)]);
  double right = 0, wrong = 0;
  for (const Verdict& verdict : one.verdicts) {
    if (verdict.rank >= kDetectionsPerClass) continue;
    right += verdict.right(range, threshold);
    wrong += verdict.wrong(range, threshold);
    recall.push_back(right / ground_truths);
    precision.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
  }
  for (std::size_t i = precision.size(); i-- > 1;)
    precision[i - 1] = std::max(precision[i - 1], precision[i]);

  std::array<double, kRecallPoints> at_recalls{};
  auto reached = recall.begin();
  for (std::size_t point = 0; point < kRecallPoints; ++point) {
    const double wanted = point == kRecallPoints - 1 ? 1.0 : static_cast<double>(point) * .01;
    reached = std::lower_bound(reached, recall.end(), wanted);
    if (reached == recall.end()) break;
    at_recalls[point] = precision[static_cast<std::size_t>(reached - recall.begin())];
  }
  return at_recalls;
}

double average_precision(const ClassVerdicts& one, int range, int threshold) {
  const auto precisions = precision_at_recalls(one, range, threshold);
  return std::accumulate(precisions.begin(), precisions.end(), 0.0) / kRecallPoints;
}

CocoMetrics coco_metrics(const std::vector<ClassVerdicts>& judged) {
  CocoMetrics metrics;
  for (const ClassVerdicts& one : judged) metrics.classes.push_back(per_class(one));
  metrics.ap = mean(metrics.classes, &CocoMetrics::PerClass::ap);
  metrics.ap50 = mean(metrics.classes, &CocoMetrics::PerClass::ap50);
  metrics.ap75 = mean(metrics.classes, &CocoMetrics::PerClass::ap75);
  metrics.ar100 = mean(metrics.classes, &CocoMetrics::PerClass::ar100);
  metrics.ar1 = mean(judged, kAllAreas,
                     [](const ClassVerdicts& one) { return mean_recall(one, kAllAreas, 1); });
  metrics.ar10 = mean(judged, kAllAreas,
                      [](const ClassVerdicts& one) { return mean_recall(one, kAllAreas, 10); });
  double* const precisions[] = {&metrics.ap_small, &metrics.ap_medium, &metrics.ap_large};
  double* const recalls[] = {&metrics.ar_small, &metrics.ar_medium, &metrics.ar_large};
  for (const int range : {kSmall, kMedium, kLarge}) {
    *precisions[range - kSmall] = mean(
        judged, range, [range](const ClassVerdicts& one) { return mean_precision(one, range); });
    *recalls[range - kSmall] = mean(judged, range, [range](const ClassVerdicts& one) {
      return mean_recall(one, range, kDetectionsPerClass);
    });
  }
  return metrics;
}

}  // namespace letterpress
