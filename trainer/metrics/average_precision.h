#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Ground truth and detections of one picture, in the same pixels (the source picture's).
struct PictureResult {
  std::vector<LabelBox> truths;  ///< flags: crowd is matched as COCO does (any number of detections, never a miss)
  std::vector<Detection> detections;
};

/// Detection figures after pycocotools' COCOeval (github.com/cocodataset/cocoapi, BSD): IoU thresholds .50:.05:.95, 101 recall points, 100
/// detections per picture and class. Classes without truth count in no mean.
struct DetectionFigures {
  double map = 0, map50 = 0, map75 = 0;
  double precision = 0, recall = 0;  ///< at IoU .5, means over classes, at the confidence with the best mean F1
  double best_confidence = 0;
  struct PerClass {
    std::int64_t truths = 0;
    double ap = 0, ap50 = 0, precision = 0, recall = 0;
  };  ///< ap -1: no truth
  std::vector<PerClass> classes;
};
DetectionFigures evaluate_detections(const std::vector<PictureResult>& pictures, int classes);

}  // namespace letterpress
