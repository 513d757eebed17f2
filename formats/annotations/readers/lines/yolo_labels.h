#pragma once
#include <cstddef>
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
  std::int64_t tracks = 0;       ///< of outlines: lines that may be a tracker's just as well
  std::int64_t first_track = 0;  ///< its line, from 1
  std::int64_t with_points = 0;  ///< of these: with a pose's keypoints, which are left out
  std::int64_t either = 0;       ///< of with_points: lines that may be outlines just as well
  std::size_t point_fields = 0;  ///< of the first line with keypoints that cannot be an outline
};

/// What the longer lines of a set without kpt_shape are, when they may be both.
enum class EitherLines { boxes_and_points, outlines };

/// Lines of `class x_centre y_centre width height`, or of Ultralytics' other tasks: class and the
/// corners of an outline (segment, OBB), or a box and keypoints (pose). Rejects letters, NaN,
/// another number of fields, a class out of range, pixels instead of 0..1. `where` names the file.
Expected<YoloLabels> parse_yolo_labels(std::string_view text, const std::string& where,
                                       const YoloDataset& dataset,
                                       EitherLines either = EitherLines::boxes_and_points);

/// Lines that are not empty.
std::int64_t count_lines(std::string_view text);

}  // namespace letterpress::annotations
