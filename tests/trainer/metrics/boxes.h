#pragma once
#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// Boxes of 10 x 10 pixels with the left upper corner at (x, 0).
inline Found found_at(double x, double score, int class_id = 0) {
  return {{x, 0, 10, 10}, class_id, score};
}
inline GroundTruth ground_truth_at(double x, int class_id = 0) {
  return {.box = {x, 0, 10, 10}, .class_id = class_id, .area = 100};
}
inline GroundTruth crowd_at(double x, int class_id = 0) {
  GroundTruth ground_truth = ground_truth_at(x, class_id);
  ground_truth.crowd = true;
  return ground_truth;
}
inline GroundTruth difficult_at(double x, int class_id = 0) {
  GroundTruth ground_truth = ground_truth_at(x, class_id);
  ground_truth.difficult = true;
  return ground_truth;
}

}  // namespace letterpress
