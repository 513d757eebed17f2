#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "trainer/metrics/verdicts.h"

namespace letterpress {

inline constexpr int kDetectionsPerClass = 100;  ///< best of a picture's, per class
inline constexpr int kRecallPoints = 101;        ///< 0:.01:1

/// The 12 metrics of pycocotools' COCOeval.summarize: IoU thresholds .50:.05:.95, 101 recall
/// points, the kDetectionsPerClass best detections of each picture, means over the classes that
/// have a ground truth in the area range. 0..1, or -1 where no class has one.
struct CocoMetrics {
  double ap = -1, ap50 = -1, ap75 = -1;                 ///< average precision
  double ap_small = -1, ap_medium = -1, ap_large = -1;  ///< by the area that the labels state
  double ar1 = -1, ar10 = -1,
         ar100 = -1;  ///< average recall with that many detections per picture and class
  double ar_small = -1, ar_medium = -1, ar_large = -1;  ///< with 100
  struct PerClass {
    std::int64_t ground_truths = 0;  ///< without crowds
    double ap = -1, ap50 = -1, ap75 = -1, ar100 = -1;
  };
  std::vector<PerClass> classes{};
};
CocoMetrics coco_metrics(const std::vector<ClassVerdicts>& judged);

/// COCOeval.accumulate: the largest precision at each recall point or beyond it, 0 where no
/// confidence reaches it. one.ground_truths[range] >= 1.
std::array<double, kRecallPoints> precision_at_recalls(const ClassVerdicts& one, int range,
                                                       int threshold);
/// Their mean.
double average_precision(const ClassVerdicts& one, int range, int threshold);

}  // namespace letterpress
