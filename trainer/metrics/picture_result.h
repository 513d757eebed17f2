#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/detections/coco.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// A labelled object, in pixels of its source picture.
struct GroundTruth {
  CocoBox box{};
  std::int32_t class_id = 0;
  double area = 0;  ///< pixels, as the labels state it: decides small, medium, large
  bool crowd =
      false;  ///< COCO's iscrowd: any number of detections may be inside; it is never a miss
  bool difficult = false;  ///< VOC's: neither hit nor miss in VOC's metrics; an ordinary ground
                           ///< truth in all others
};

/// A detection, in the same pixels.
struct Found {
  CocoBox box{};
  std::int32_t class_id = 0;
  double score = 0;
  std::int64_t order = 0;  ///< place among all detections, as the file has them: between equal
                           ///< scores it decides in VOC's metrics
};

/// Ground truths and detections of one picture, in any order. Every metric takes a list of these.
/// The list's order decides between equal scores in COCO's metrics, as ascending image ids do in
/// pycocotools, so it must not change between runs.
struct PictureResult {
  std::vector<GroundTruth> ground_truths{};
  std::vector<Found> found{};
  std::int64_t unseen = 0;  ///< labelled objects that none of what was looked at shows, and that
                            ///< are not among the ground truths: missed, whatever is found
};

/// From boxes in pixels of the source picture. Corners become sides in double precision, which is
/// exact.
PictureResult picture_result(std::span<const LabelBox> ground_truths,
                             std::span<const Detection> found);
CocoBox coco_box(float x1, float y1, float x2, float y2);

/// From files: one picture per image of `ground_truth`, by ascending id. class_id: index into
/// ground_truth.categories. Throws std::logic_error when `ground_truth` lacks a detection's image
/// or category; readers of files check that first.
std::vector<PictureResult> picture_results(const CocoGroundTruth& ground_truth,
                                           std::span<const CocoResult> found);

}  // namespace letterpress
