#include "labelme_document.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"

namespace letterpress::annotations {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kShapeFix = "correct the shape or remove it";

// Content that cannot be used, apart from broken JSON.
struct Fault {
  std::string what;
};

template <class T>
T take(ondemand::value value, const std::string& what) {
  T result;
  if (value.get(result) == simdjson::SUCCESS) return result;
  throw Fault{what};
}

struct Shape {
  std::string label, type = "polygon";  // as old files without a type have it
  std::vector<Point> points{};
  std::optional<std::int64_t> group{};
};

// An object of several shapes.
struct Group {
  std::size_t box = 0;  // its place among the picture's
  std::int64_t shapes = 0;
  BoxAround around{};
};

Point read_point(ondemand::value value) {
  Point point{};
  std::size_t n = 0;
  for (ondemand::value number : take<ondemand::array>(value, "a point is not a list of x, y")) {
    const auto coordinate = take<double>(number, "a point holds what is not a number");
    if (!is_coordinate(coordinate))
      throw Fault{"a point holds " + std::to_string(coordinate) + ", beyond 1e7"};
    if (n < point.size()) point[n] = coordinate;
    ++n;
  }
  if (n != point.size())
    throw Fault{"a point holds " + counted(static_cast<std::int64_t>(n), "number", "numbers") +
                ", must be x, y"};
  return point;
}

struct ShapeKind {
  std::string_view name;
  std::size_t least, most;
  const char* points;
};
// Some tools write all four corners of a rectangle. "rotation" is X-AnyLabeling's.
constexpr std::array kKinds{
    ShapeKind{"rectangle", 2, 4, "2"}, ShapeKind{"oriented_rectangle", 4, 4, "4"},
    ShapeKind{"rotation", 4, 4, "4"},  ShapeKind{"circle", 2, 2, "2"},
    ShapeKind{"mask", 2, 2, "2"},      ShapeKind{"polygon", 3, SIZE_MAX, "3 or more"}};

LabelBox box_around(const Shape& shape) {
  if (shape.type == "circle") {
    const auto [centre, edge] = std::array{shape.points[0], shape.points[1]};
    const double radius = std::hypot(edge[0] - centre[0], edge[1] - centre[1]);
    return around_ellipse(centre[0], centre[1], radius, radius, 0);
  }
  // A mask's points are its first and last pixel.
  if (shape.type == "mask") {
    const auto [first, last] = std::array{shape.points[0], shape.points[1]};
    return box_at(first[0], first[1], last[0] + 1 - first[0], last[1] + 1 - first[1]);
  }
  BoxAround around;
  for (const Point& point : shape.points) around.add(point[0], point[1]);
  LabelBox box = around.box();
  if (shape.type == "rectangle" && shape.points.size() == 3) box.outline.clear();
  return box;
}

Shape read_shape(ondemand::object object) {
  Shape shape;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "label")
      shape.label = trim(take<std::string_view>(field.value(), "label is not a text"));
    if (key == "shape_type")
      shape.type = take<std::string_view>(field.value(), "shape_type is not a text");
    std::int64_t group = 0;
    if (key == "group_id" && field.value().get(group) == simdjson::SUCCESS) shape.group = group;
    if (key == "points") {
      for (ondemand::value point : take<ondemand::array>(field.value(), "points is not a list"))
        shape.points.push_back(read_point(point));
    }
  }
  if (shape.label.empty()) throw Fault{"has no label"};
  if (const auto fault = class_name_fault(shape.label))
    throw Fault{"label " + in_quotes(shape.label) + " " + fault->what};
  return shape;
}

class LabelMeFile {
 public:
  LabelMeFile(const std::string& where, LabelMePicture& result)
      : result_(result), picture_(result.picture) {
    picture_.where = where;
  }

  void read(ondemand::document& document) {
    ondemand::object object = document.get_object();
    bool has_shapes = false;
    for (ondemand::field field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "imagePath")
        set_names(std::string(take<std::string_view>(field.value(), "imagePath is not a text")));
      if (key == "flags") read_flags(field.value());
      if (key == "imageWidth") read_size(field.value(), picture_.width);
      if (key == "imageHeight") read_size(field.value(), picture_.height);
      if (key != "shapes") continue;
      has_shapes = true;
      for (ondemand::value shape : take<ondemand::array>(field.value(), "shapes is not a list"))
        add_shape(shape);
    }
    if (!has_shapes) throw Fault{"holds no list `shapes`; is it a LabelMe file?"};
    if (picture_.names.empty()) throw Fault{"has no imagePath, so its picture is unknown"};
  }

  void set_fault(std::string what, std::string fix) {
    picture_.fault = Message{.what = std::move(what), .fix = std::move(fix)};
  }

 private:
  // Windows writes backslashes.
  void set_names(const std::string& path) {
    if (path.empty()) return;
    std::string slashed = path;
    std::ranges::replace(slashed, '\\', '/');
    picture_.names = {path};
    if (slashed != path) picture_.names.push_back(std::move(slashed));
  }

  void read_flags(ondemand::value value) {
    ondemand::object flags;
    if (value.get(flags) != simdjson::SUCCESS) return;
    for (ondemand::field field : flags) {
      const std::string name(std::string_view(field.unescaped_key()));
      bool set = false;
      if (field.value().get(set) == simdjson::SUCCESS && set && result_.flag.empty())
        result_.flag = name;
    }
  }

  static void read_size(ondemand::value value, std::int32_t& size) {
    std::int64_t number = 0;
    if (value.get(number) == simdjson::SUCCESS && is_picture_side(number))
      size = static_cast<std::int32_t>(number);
  }

  void add_shape(ondemand::value value) {
    const std::string number = "object " + std::to_string(++shapes_);
    try {
      const Shape shape = read_shape(take<ondemand::object>(value, "is not a JSON object"));
      const auto kind = std::ranges::find(kKinds, shape.type, &ShapeKind::name);
      if (kind == kKinds.end()) return refuse(number, shape);
      if (shape.points.size() < kind->least || shape.points.size() > kind->most) {
        const auto points = static_cast<std::int64_t>(shape.points.size());
        throw Fault{"a " + shape.type + " of " + counted(points, "point", "points") + ", must be " +
                    kind->points};
      }
      if (!join_group(shape)) {
        result_.outlines += kind->name != "rectangle";
        picture_.boxes.push_back({box_around(shape), shape.label});
      }
    } catch (const Fault& fault) {
      picture_.boxes.push_back({});  // it counts
      throw Fault{number + ": " + fault.what};
    }
  }

  // Returns false where the shape is an object of its own, or the first of its group.
  bool join_group(const Shape& shape) {
    if (!shape.group) return false;
    Group& group = groups_[{shape.label, *shape.group}];
    group.around.add(box_around(shape));
    if (group.shapes++ == 0) {
      group.box = picture_.boxes.size();
      return false;
    }
    result_.groups += group.shapes == 2;
    picture_.boxes[group.box].box = group.around.box();
    return true;
  }

  void refuse(const std::string& number, const Shape& shape) {
    picture_.box_rejects.push_back(
        {picture_.where + ", " + number,
         in_quotes(shape.label) + (shape.type == "points" ? " is of " : " is a ") +
             printable(shape.type, 40) + ", must be a rectangle, a circle, a polygon or a mask",
         "draw a rectangle around it", Reject::Scope::box});
  }

  LabelMePicture& result_;
  StatedPicture& picture_;
  std::int64_t shapes_ = 0;
  std::map<std::pair<std::string, std::int64_t>, Group> groups_;
};

}  // namespace

LabelMePicture parse_labelme(std::string_view text, const std::string& where) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const simdjson::padded_string padded(text);
  ondemand::parser parser;
  ondemand::document document;
  LabelMePicture result;
  LabelMeFile file(where, result);
  try {
    document = parser.iterate(padded);
    file.read(document);
    const char* rest = nullptr;
    if (!document.current_location().get(rest))
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
  } catch (const simdjson::simdjson_error& error) {
    const char* place = nullptr;
    const bool known =
        document.is_alive() && !document.current_location().get(place) && place >= padded.data();
    const auto byte = known ? static_cast<std::size_t>(place - padded.data()) : padded.size();
    file.set_fault("is not whole JSON: byte " + std::to_string(byte) + " of " +
                       std::to_string(padded.size()) + ": " + error.what(),
                   "save this file again with LabelMe");
  } catch (const Fault& fault) {
    file.set_fault(fault.what, std::string(kShapeFix));
  }
  return result;
}

}  // namespace letterpress::annotations
