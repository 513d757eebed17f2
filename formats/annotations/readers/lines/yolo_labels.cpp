#include "yolo_labels.h"

#include <array>
#include <cmath>
#include <optional>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/shapes.h"
#include "yolo_dataset.h"

namespace letterpress::annotations {
namespace {

constexpr std::array<const char*, 4> kNames{"centre x", "centre y", "width", "height"};
// Boxes that hang over an edge leave 0..1 a little; nothing but pixels is beyond this.
constexpr double kSurelyPixels = 2;

Reject fault(const std::string& where, const std::string& what) {
  return {where, what, "write class, centre x, centre y, width, height, divided by the image size"};
}

enum class Line { box, outline, box_and_points, other };

constexpr std::size_t kBox = 5, kPerPoint = 3;

// Whether every third number behind a box is a keypoint's visibility: 0, 1 or 2.
bool holds_visibilities(std::string_view line) {
  std::size_t i = 0;
  for (std::string_view field = take_field(line); !field.empty(); field = take_field(line), ++i) {
    if (i < kBox || (i - kBox) % kPerPoint != kPerPoint - 1) continue;
    const auto number = parse_integer(field);
    if (!number || *number < 0 || *number > 2) return false;
  }
  return i > kBox && (i - kBox) % kPerPoint == 0;
}

LabelBox around_centre(const std::vector<double>& values) {
  const double x = values[0], y = values[1], width = values[2], height = values[3];
  return {.x1 = static_cast<float>(x - width / 2),
          .y1 = static_cast<float>(y - height / 2),
          .x2 = static_cast<float>(x + width / 2),
          .y2 = static_cast<float>(y + height / 2)};
}

// Whether three corners may be a box, a confidence and the number of a track just as well: as a
// rule a corner at 1 is written 1.0. Numbers of tracks over 2 are refused as pixels anyway.
bool may_be_track(const std::vector<double>& values, std::string_view last) {
  return values.size() == 6 && last.find_first_not_of("0123456789") == std::string_view::npos &&
         values[5] >= 1 && values[4] >= 0 && values[4] <= 1;
}

std::string_view last_field(std::string_view line) {
  line = trim(line);
  return line.substr(line.find_last_of(" \t") + 1);
}

bool may_be_outline(std::size_t n) {
  constexpr std::size_t kTriangle = 7;
  return n >= kTriangle && n % 2 == 1;
}

// By the number of fields: a box has 5, an outline of n corners 1 + 2n, a pose 5 and two or three a
// point. With data.yaml's kpt_shape it is a set of poses; without, visibilities tell them apart.
Line kind_of(std::string_view line, std::size_t n, const YoloDataset& dataset, EitherLines either) {
  if (n == kBox) return Line::box;
  if (dataset.keypoint_numbers > 0)
    return n == kBox + dataset.keypoint_numbers ? Line::box_and_points : Line::other;
  const bool outline = may_be_outline(n);
  if (holds_visibilities(line) && !(outline && either == EitherLines::outlines))
    return Line::box_and_points;
  return outline ? Line::outline : Line::other;
}

// values <- the numbers behind the class. Returns what is wrong with one, as a reject.
std::optional<Reject> read_numbers(std::string_view rest, const std::string& where,
                                   std::size_t named, std::vector<double>& values) {
  values.clear();
  for (std::string_view field = take_field(rest); !field.empty(); field = take_field(rest)) {
    const std::size_t i = values.size();
    const std::string name = i < named ? kNames[i] : "coordinate " + std::to_string(i + 1);
    const Coordinate coordinate = parse_coordinate(field);
    if (!coordinate.fault.empty()) return fault(where, name + " " + coordinate.fault);
    if (std::abs(coordinate.value) > kSurelyPixels) {
      return Reject{where, name + " " + std::string(field) + " is outside 0..1",
                    "are these pixels? divide by the image size"};
    }
    values.push_back(coordinate.value);
  }
  return std::nullopt;
}

LabelBox around_corners(const std::vector<double>& values) {
  BoxAround around;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) around.add(values[i], values[i + 1]);
  return around.box();
}

// Adds the line's box; why it is none, else.
std::optional<Reject> read_line(std::string_view line, const std::string& where,
                                const YoloDataset& dataset, EitherLines either,
                                YoloLabels& labels) {
  std::size_t n = 0;
  for (std::string_view rest = line; !take_field(rest).empty();) ++n;
  const Line kind = kind_of(line, n, dataset, either);
  if (kind == Line::other) {
    return fault(where,
                 "got " + counted(static_cast<std::int64_t>(n), "field", "fields") +
                     ", must be 5, or " +
                     (dataset.keypoint_numbers > 0
                          ? std::to_string(kBox + dataset.keypoint_numbers) + " as kpt_shape says"
                          : "class and the corners of an outline"));
  }
  const Expected<std::int32_t> id =
      parse_class(take_field(line), dataset.classes, dataset.classes_from);
  if (!id) return Reject{where, id.reject().what, id.reject().fix};
  std::vector<double> values;
  if (auto bad = read_numbers(line, where, kind == Line::outline ? 0 : kNames.size(), values))
    return bad;
  labels.tracks += kind == Line::outline && may_be_track(values, last_field(line));
  labels.boxes.push_back(kind == Line::outline ? around_corners(values) : around_centre(values));
  labels.boxes.back().class_id = *id;
  labels.outlines += kind == Line::outline;
  if (kind != Line::box_and_points) return std::nullopt;
  ++labels.with_points;
  const bool may_be_both = dataset.keypoint_numbers == 0 && may_be_outline(n);
  labels.either += may_be_both;
  if (!may_be_both && labels.point_fields == 0) labels.point_fields = n;
  return std::nullopt;
}

}  // namespace

std::int64_t count_lines(std::string_view text) {
  std::int64_t n = 0;
  for (Lines lines(text); lines.next();) ++n;
  return n;
}

Expected<YoloLabels> parse_yolo_labels(std::string_view text, const std::string& where,
                                       const YoloDataset& dataset, EitherLines either) {
  YoloLabels labels;
  Lines lines(text);
  while (lines.next()) {
    auto bad = read_line(lines.text(), where + ":" + std::to_string(lines.number()), dataset,
                         either, labels);
    if (bad) return *std::move(bad);
    if (labels.tracks > 0 && labels.first_track == 0) labels.first_track = lines.number();
  }
  return labels;
}

}  // namespace letterpress::annotations
