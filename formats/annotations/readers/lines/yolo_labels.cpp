#include "yolo_labels.h"

#include <array>
#include <cmath>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"

namespace letterpress::annotations {
namespace {

constexpr std::array<const char*, 4> kNames{"centre x", "centre y", "width", "height"};
// Boxes that hang over an edge leave 0..1 a little; nothing but pixels is beyond this.
constexpr double kSurelyPixels = 2;

std::string field_count_fault(std::size_t n) {
  const std::string got =
      "got " + counted(static_cast<std::int64_t>(n), "field", "fields") + ", must be 5";
  return n >= 7 && n % 2 == 1 ? got + " (is this a segmentation polygon?)" : got;
}

Reject fault(const std::string& where, const std::string& what) {
  return {where, what, "write class, centre x, centre y, width, height, divided by the image size"};
}

// How many fields a line has; fields <- the first of them.
std::size_t split(std::string_view line, std::array<std::string_view, 5>& fields) {
  std::size_t n = 0;
  for (std::string_view field = take_field(line); !field.empty(); field = take_field(line), ++n) {
    if (n < fields.size()) fields[n] = field;
  }
  return n;
}

Expected<LabelBox> parse_line(std::string_view line, const std::string& where,
                              const std::vector<std::string>& classes,
                              const std::string& classes_from) {
  std::array<std::string_view, 5> fields;
  const std::size_t n = split(line, fields);
  if (n != fields.size()) return fault(where, field_count_fault(n));
  const Expected<std::int32_t> id = parse_class(fields[0], classes, classes_from);
  if (!id) return Reject{where, id.reject().what, id.reject().fix};
  std::array<double, 4> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Coordinate coordinate = parse_coordinate(fields[i + 1]);
    if (!coordinate.fault.empty())
      return fault(where, std::string(kNames[i]) + " " + coordinate.fault);
    if (std::abs(coordinate.value) > kSurelyPixels) {
      return Reject{where,
                    std::string(kNames[i]) + " " + std::string(fields[i + 1]) + " is outside 0..1",
                    "are these pixels? divide by the image size"};
    }
    values[i] = coordinate.value;
  }
  const auto [x, y, width, height] = values;
  return LabelBox{.x1 = static_cast<float>(x - width / 2),
                  .y1 = static_cast<float>(y - height / 2),
                  .x2 = static_cast<float>(x + width / 2),
                  .y2 = static_cast<float>(y + height / 2),
                  .class_id = *id};
}

}  // namespace

std::int64_t count_lines(std::string_view text) {
  std::int64_t n = 0;
  for (Lines lines(text); lines.next();) ++n;
  return n;
}

Expected<std::vector<LabelBox>> parse_yolo_labels(std::string_view text, const std::string& where,
                                                  const std::vector<std::string>& classes,
                                                  const std::string& classes_from) {
  std::vector<LabelBox> boxes;
  Lines lines(text);
  while (lines.next()) {
    const Expected<LabelBox> box = parse_line(
        lines.text(), where + ":" + std::to_string(lines.number()), classes, classes_from);
    if (!box) return box.reject();
    boxes.push_back(*box);
  }
  return boxes;
}

}  // namespace letterpress::annotations
