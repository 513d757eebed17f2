#pragma once
#include <span>
#include <string>
#include <vector>

#include "letterpress/detections/coco.h"

namespace letterpress {

/// What looks as if a file of detections were not as COCO has them, [x, y, width, height] in pixels
/// and scores of 0..1, a line each, with what to do: shares of the picture, corners, percent. They
/// are measured as they are. found: with ids of `ground_truth`.
std::vector<std::string> detection_doubts(const CocoGroundTruth& ground_truth,
                                          std::span<const CocoResult> found);

}  // namespace letterpress
