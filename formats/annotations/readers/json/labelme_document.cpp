#include "labelme_document.h"

#include <simdjson.h>

#include <algorithm>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"

namespace letterpress::annotations {
namespace {
namespace json = simdjson::ondemand;

constexpr std::string_view kShapeFix = "correct the shape or remove it";

// Content that cannot be used, apart from broken JSON.
struct Fault {
  std::string what;
};

template <class T>
T take(json::value value, const std::string& what) {
  T result;
  if (value.get(result) == simdjson::SUCCESS) return result;
  throw Fault{what};
}

struct Shape {
  std::string label, type = "polygon";  // as old files without a type have it
  LabelBox box;
  std::int64_t points = 0;
};

void add_point(json::value value, Shape& shape) {
  std::array<double, 2> point{};
  std::size_t n = 0;
  for (json::value number : take<json::array>(value, "a point is not a list of x, y")) {
    const auto coordinate = take<double>(number, "a point holds what is not a number");
    if (!is_coordinate(coordinate))
      throw Fault{"a point holds " + std::to_string(coordinate) + ", beyond 1e7"};
    if (n < point.size()) point[n] = coordinate;
    ++n;
  }
  if (n != point.size())
    throw Fault{"a point holds " + counted(static_cast<std::int64_t>(n), "number", "numbers") +
                ", must be x, y"};
  const auto x = static_cast<float>(point[0]), y = static_cast<float>(point[1]);
  const bool first = shape.points++ == 0;
  shape.box.x1 = first ? x : std::min(shape.box.x1, x);
  shape.box.y1 = first ? y : std::min(shape.box.y1, y);
  shape.box.x2 = first ? x : std::max(shape.box.x2, x);
  shape.box.y2 = first ? y : std::max(shape.box.y2, y);
}

Shape read_shape(json::object object) {
  Shape shape;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "label")
      shape.label = trim(take<std::string_view>(field.value(), "label is not a text"));
    if (key == "shape_type")
      shape.type = take<std::string_view>(field.value(), "shape_type is not a text");
    if (key == "points") {
      for (json::value point : take<json::array>(field.value(), "points is not a list"))
        add_point(point, shape);
    }
  }
  if (shape.label.empty()) throw Fault{"has no label"};
  if (const auto fault = class_name_fault(shape.label))
    throw Fault{"label " + in_quotes(shape.label) + " " + fault->what};
  return shape;
}

class LabelMeFile {
 public:
  LabelMeFile(const std::string& where, std::int64_t& shapes) : where_(where), shapes_(shapes) {}

  void read(json::document& document) {
    json::object object = document.get_object();
    bool has_shapes = false;
    for (json::field field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "imagePath")
        picture_.image_path = take<std::string_view>(field.value(), "imagePath is not a text");
      if (key == "flags") read_flags(field.value());
      if (key == "imageWidth") read_size(field.value(), picture_.width);
      if (key == "imageHeight") read_size(field.value(), picture_.height);
      if (key != "shapes") continue;
      has_shapes = true;
      for (json::value shape : take<json::array>(field.value(), "shapes is not a list"))
        add_shape(shape);
    }
    if (!has_shapes) throw Fault{"holds no list `shapes`; is it a LabelMe file?"};
    if (picture_.image_path.empty()) throw Fault{"has no imagePath, so its picture is unknown"};
  }
  LabelMePicture take_picture() { return std::move(picture_); }

 private:
  void read_flags(json::value value) {
    json::object flags;
    if (value.get(flags) != simdjson::SUCCESS) return;
    for (json::field field : flags) {
      const std::string name(std::string_view(field.unescaped_key()));
      bool set = false;
      if (field.value().get(set) == simdjson::SUCCESS && set && picture_.flag.empty())
        picture_.flag = name;
    }
  }

  static void read_size(json::value value, std::int32_t& size) {
    std::int64_t number = 0;
    if (value.get(number) == simdjson::SUCCESS && number > 0 && number < 1 << 24)
      size = static_cast<std::int32_t>(number);
  }

  void add_shape(json::value value) {
    const std::string number = "object " + std::to_string(++shapes_);
    try {
      Shape shape = read_shape(take<json::object>(value, "is not a JSON object"));
      const bool rectangle = shape.type == "rectangle";
      if (!rectangle && shape.type != "polygon") return refuse(number, shape);
      const std::int64_t least = rectangle ? 2 : 3;
      if (shape.points < least || (rectangle && shape.points > 4)) {
        throw Fault{"a " + shape.type + " of " + counted(shape.points, "point", "points") +
                    ", must be " + (rectangle ? "2" : "3 or more")};
      }
      picture_.boxes.push_back(shape.box);
      picture_.class_names.push_back(std::move(shape.label));
    } catch (const Fault& fault) {
      throw Fault{number + ": " + fault.what};
    }
  }

  void refuse(const std::string& number, const Shape& shape) {
    picture_.box_rejects.push_back({where_ + ", " + number,
                                    in_quotes(shape.label) + " is a " + printable(shape.type, 40) +
                                        ", must be a rectangle or a polygon",
                                    "draw a rectangle around it", Reject::Scope::box});
  }

  const std::string& where_;
  std::int64_t& shapes_;
  LabelMePicture picture_;
};

}  // namespace

Expected<LabelMePicture> parse_labelme(std::string_view text, const std::string& where,
                                       std::int64_t& shapes) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const simdjson::padded_string padded(text);
  json::parser parser;
  json::document document;
  LabelMeFile file(where, shapes);
  shapes = 0;
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
    return Reject{where,
                  "is not whole JSON: byte " + std::to_string(byte) + " of " +
                      std::to_string(padded.size()) + ": " + error.what(),
                  "save this file again with LabelMe"};
  } catch (const Fault& fault) {
    return Reject{where, fault.what, std::string(kShapeFix)};
  }
  return file.take_picture();
}

}  // namespace letterpress::annotations
