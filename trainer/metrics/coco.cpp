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

/// Share of the truths found among the `most` best detections of each picture, mean over the
/// thresholds.
double mean_recall(const ClassVerdicts& one, int range, int most) {
  std::int64_t right = 0;
  for (const Verdict& verdict : one.verdicts) {
    if (verdict.rank >= most) continue;
    for (int threshold = 0; threshold < kIouThresholds; ++threshold)
      right += verdict.right(range, threshold);
  }
  return static_cast<double>(right) /
         static_cast<double>(one.truths[static_cast<std::size_t>(range)]) / kIouThresholds;
}

double mean(const std::vector<ClassVerdicts>& judged, int range,
            const std::function<double(const ClassVerdicts&)>& figure) {
  double sum = 0;
  int counted = 0;
  for (const ClassVerdicts& one : judged) {
    if (one.truths[static_cast<std::size_t>(range)] == 0) continue;
    sum += figure(one);
    ++counted;
  }
  return counted ? sum / counted : -1;
}

double mean(const std::vector<CocoFigures::PerClass>& classes,
            double CocoFigures::PerClass::*figure) {
  double sum = 0;
  int counted = 0;
  for (const CocoFigures::PerClass& one : classes) {
    if (one.truths == 0) continue;
    sum += one.*figure;
    ++counted;
  }
  return counted ? sum / counted : -1;
}

CocoFigures::PerClass per_class(const ClassVerdicts& one) {
  CocoFigures::PerClass figures{.truths = one.truths[kAllAreas]};
  if (figures.truths == 0) return figures;
  figures.ap = mean_precision(one, kAllAreas);
  figures.ap50 = average_precision(one, kAllAreas, 0);
  figures.ap75 = average_precision(one, kAllAreas, 5);
  figures.ar100 = mean_recall(one, kAllAreas, kDetectionsPerClass);
  return figures;
}

}  // namespace

std::array<double, kRecallPoints> precision_at_recalls(const ClassVerdicts& one, int range,
                                                       int threshold) {
  std::vector<double> precision, recall;
  precision.reserve(one.verdicts.size());
  recall.reserve(one.verdicts.size());
  const auto truths = static_cast<double>(one.truths[static_cast<std::size_t>(range)]);
  double right = 0, wrong = 0;
  for (const Verdict& verdict : one.verdicts) {
    right += verdict.right(range, threshold);
    wrong += verdict.wrong(range, threshold);
    recall.push_back(right / truths);
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

CocoFigures coco_figures(const std::vector<ClassVerdicts>& judged) {
  CocoFigures figures;
  for (const ClassVerdicts& one : judged) figures.classes.push_back(per_class(one));
  figures.ap = mean(figures.classes, &CocoFigures::PerClass::ap);
  figures.ap50 = mean(figures.classes, &CocoFigures::PerClass::ap50);
  figures.ap75 = mean(figures.classes, &CocoFigures::PerClass::ap75);
  figures.ar100 = mean(figures.classes, &CocoFigures::PerClass::ar100);
  figures.ar1 = mean(judged, kAllAreas,
                     [](const ClassVerdicts& one) { return mean_recall(one, kAllAreas, 1); });
  figures.ar10 = mean(judged, kAllAreas,
                      [](const ClassVerdicts& one) { return mean_recall(one, kAllAreas, 10); });
  double* const precisions[] = {&figures.ap_small, &figures.ap_medium, &figures.ap_large};
  double* const recalls[] = {&figures.ar_small, &figures.ar_medium, &figures.ar_large};
  for (const int range : {kSmall, kMedium, kLarge}) {
    *precisions[range - kSmall] = mean(
        judged, range, [range](const ClassVerdicts& one) { return mean_precision(one, range); });
    *recalls[range - kSmall] = mean(judged, range, [range](const ClassVerdicts& one) {
      return mean_recall(one, range, kDetectionsPerClass);
    });
  }
  return figures;
}

}  // namespace letterpress
