#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/metrics/operating_point.h"
#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// The few metrics that a training watches: COCO's means, and precision and recall at the best
/// confidence.
struct DetectionMetrics {
  double map = 0, map50 = 0, map75 = 0;  ///< 0..1, -1: no class has a ground truth
  double precision = 0,
         recall = 0;  ///< at IoU .5, means over classes, at the confidence with the best mean F1
  double best_confidence =
      0;               ///< detections with at least this score count; 0 also when none is right
  double at_goal = 0;  ///< best_of() the goal that was asked for
  struct PerClass {
    std::int64_t ground_truths = 0;
    double ap = 0, ap50 = 0, precision = 0, recall = 0;
  };  ///< ap, ap50 -1: no ground truth
  std::vector<PerClass> classes{};
};

/// Throws std::logic_error for a class outside 0..classes-1.
DetectionMetrics evaluate_detections(const std::vector<PictureResult>& pictures, int classes,
                                     const std::optional<Goal>& goal = {});

}  // namespace letterpress
