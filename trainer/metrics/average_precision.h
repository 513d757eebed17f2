#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Ground truth and detections of one picture, in the same pixels (the source picture's). Neither needs an order.
struct PictureResult {
  std::vector<LabelBox> truths;  ///< flags: crowd is matched as COCO does (any number of detections, never a miss); difficult is
                                 ///< an ordinary truth, as COCO knows no such thing
  std::vector<Detection> detections;
};

/// Detection figures after pycocotools' COCOeval (github.com/cocodataset/cocoapi, BSD): IoU thresholds .50:.05:.95, 101 recall points, 100
/// detections per picture and class. Classes without truth (crowds are none) count in no mean.
struct DetectionFigures {
  double map = 0, map50 = 0, map75 = 0;  ///< 0..1, -1: no class has a truth
  double precision = 0, recall = 0;      ///< at IoU .5, means over classes, at the confidence with the best mean F1
  double best_confidence = 0;            ///< detections with at least this score count for it; 0 also where none is right
  struct PerClass {
    std::int64_t truths = 0;
    double ap = 0, ap50 = 0, precision = 0, recall = 0;
  };  ///< ap, ap50 -1: no truth
  std::vector<PerClass> classes;
};

/// pictures: in an order that does not change between runs (equal scores are ranked by it, as by picture id in pycocotools).
/// Throws std::logic_error when a truth or a detection is of no class in 0..classes-1.
DetectionFigures evaluate_detections(const std::vector<PictureResult>& pictures, int classes);

}  // namespace letterpress
