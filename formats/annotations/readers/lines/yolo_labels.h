#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/reject.h"

namespace letterpress::annotations {

struct YoloDataset;

/// Boxes of one YOLO label file, normalised; corners 0..1.
struct YoloLabels {
  std::vector<LabelBox> boxes;
  std::int64_t outlines = 0;     ///< of these: around a segmentation or a turned box
  std::int64_t with_points = 0;  ///< of these: with a pose's keypoints, which are left out
};

/// Lines of `class x_centre y_centre width height`, or of Ultralytics' other tasks: class and the
/// corners of an outline (segment, OBB), or a box and keypoints (pose). Rejects letters, NaN,
/// another number of fields, a class out of range, pixels instead of 0..1. `where` names the file.
Expected<YoloLabels> parse_yolo_labels(std::string_view text, const std::string& where,
                                       const YoloDataset& dataset);

/// Lines that are not empty.
std::int64_t count_lines(std::string_view text);

}  // namespace letterpress::annotations
