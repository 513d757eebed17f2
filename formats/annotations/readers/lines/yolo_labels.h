#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/box.h"
#include "letterpress/base/reject.h"

namespace letterpress::annotations {

/// Boxes of one YOLO label file, `class x_centre y_centre width height` per line, normalised;
/// corners 0..1 come out. Rejects letters, NaN, another number of fields, a class out of range,
/// pixels instead of 0..1. `where` names the file.
Expected<std::vector<LabelBox>> parse_yolo_labels(std::string_view text, const std::string& where,
                                                  const std::vector<std::string>& classes,
                                                  const std::string& classes_from);

/// Lines that are not empty.
std::int64_t count_lines(std::string_view text);

}  // namespace letterpress::annotations
