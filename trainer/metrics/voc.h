#pragma once
#include <cstdint>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Average precision as the Pascal VOC development kit defines it (VOCevaldet;
/// doi:10.1007/s11263-009-0275-4, section 4.2): by descending score, equal ones in their `order`,
/// each detection is compared with the ground truth of its class that it overlaps most, the first
/// of equal ones. It is right when the overlap is at least `iou` and the ground truth is still
/// free, wrong when the overlap is less or the ground truth is taken, and neither for a difficult
/// ground truth or a crowd. Any number of detections.
struct VocMetrics {
  double ap11 = -1;  ///< VOC2007: mean of the best precision at recall 0, .1, ... 1. Means over
                     ///< classes with a ground truth; -1: no class has one
  double ap = -1;    ///< since VOC2010: area under the precision, made monotonic, at every recall
  struct PerClass {
    std::int64_t ground_truths = 0;  ///< neither difficult nor crowd
    double ap11 = -1, ap = -1;
  };
  std::vector<PerClass> classes{};
};
/// Throws std::logic_error as judge() does.
VocMetrics voc_metrics(const std::vector<PictureResult>& pictures, int classes, double iou = 0.5);

}  // namespace letterpress
