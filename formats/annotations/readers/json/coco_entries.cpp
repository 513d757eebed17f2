#include "coco_entries.h"

#include <array>
#include <cmath>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"

namespace letterpress::annotations {
namespace {

namespace ondemand = simdjson::ondemand;

// Faults of one value: the rest of the document can still be read.
bool concerns_one_value(simdjson::error_code error) {
  return error == simdjson::INCORRECT_TYPE || error == simdjson::NUMBER_ERROR ||
         error == simdjson::NUMBER_OUT_OF_RANGE || error == simdjson::STRING_ERROR ||
         error == simdjson::T_ATOM_ERROR || error == simdjson::F_ATOM_ERROR ||
         error == simdjson::N_ATOM_ERROR;
}

bool is_null(ondemand::value value) {
  bool null = false;
  return value.is_null().get(null) == simdjson::SUCCESS && null;
}

// result <- the value; false, with `fault` set, when it is of another type. kind: "an integer".
// Throws simdjson_error when the document is broken.
template <class T>
bool take(ondemand::value value, T& result, const char* key, const char* kind, std::string& fault) {
  const simdjson::error_code error = value.get(result);
  if (!error) return true;
  if (!concerns_one_value(error)) throw simdjson::simdjson_error(error);
  if (fault.empty()) fault = std::string(key) + " is not " + kind;
  return false;
}

// 1.0 too, as pandas writes integers of which some are missing.
bool take_integer(ondemand::value value, std::int64_t& result, const char* key, const char* kind,
                  std::string& fault) {
  constexpr double kMost = 9'007'199'254'740'992;  // 2^53, up to which each integer is a double
  double number = 0;
  if (value.get(result) != simdjson::SUCCESS && value.get(number) == simdjson::SUCCESS &&
      number == std::floor(number) && std::abs(number) <= kMost) {
    result = static_cast<std::int64_t>(number);
    return true;
  }
  return take(value, result, key, kind, fault);
}

void take_size(ondemand::value value, const char* key, std::int32_t& size, std::string& fault) {
  if (is_null(value)) return;
  std::int64_t number = 0;
  if (take_integer(value, number, key, "an integer", fault) && is_picture_side(number))
    size = static_cast<std::int32_t>(number);
}

// null is no text, as is a key that is left out.
void take_text(ondemand::value value, const char* key, std::string& text, std::string& fault) {
  if (is_null(value)) return;
  std::string_view view;
  if (take(value, view, key, "a text", fault)) text = view;
}

void take_id(ondemand::value value, const char* key, CocoIds& ids, std::int64_t& id,
             std::string& fault) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return void(id = ids.of(text));
  take_integer(value, id, key, "an integer", fault);
}

// False when it is an empty list or null, which files of outlines alone have.
bool read_bbox(ondemand::value value, CocoAnnotation& annotation) {
  if (is_null(value)) return false;
  const std::array<double*, 4> places{&annotation.x, &annotation.y, &annotation.width,
                                      &annotation.height};
  ondemand::array array;
  if (!take(value, array, "bbox", "a list of 4 numbers", annotation.fault)) return true;
  std::size_t n = 0;
  for (ondemand::value element : array) {
    double number = 0;
    if (take(element, number, "bbox", "a list of 4 finite numbers", annotation.fault) &&
        n < places.size()) {
      *places[n] = number;
      if (!is_coordinate(number) && annotation.fault.empty())
        annotation.fault = "bbox: " + std::to_string(number) + " is beyond 1e7";
    }
    ++n;
  }
  if (n > 0 && n != places.size() && annotation.fault.empty()) {
    annotation.fault = "bbox holds " + counted(static_cast<std::int64_t>(n), "number", "numbers") +
                       ", must be x, y, width, height";
  }
  return n > 0;
}

// 0 and 1, false and true, or null.
bool read_crowd(ondemand::value value, std::string& fault) {
  if (is_null(value)) return false;
  bool crowd = false;
  if (value.get(crowd) == simdjson::SUCCESS) return crowd;
  std::int64_t number = 0;
  return take_integer(value, number, "iscrowd", "0 or 1", fault) && number != 0;
}

// The same of a key that may be anything else.
bool read_mark(ondemand::value value) {
  std::string fault;
  const bool is_set = read_crowd(value, fault);
  return is_set && fault.empty();
}

void take_area(ondemand::value value, CocoAnnotation& annotation) {
  double area = -1;
  if (!is_null(value) && take(value, area, "area", "a number", annotation.fault) && area >= 0 &&
      area < 1e14)
    annotation.area = static_cast<float>(area);
}

// CVAT keeps the turn of a rectangle among the attributes of its object. Other tools have other
// things there.
double read_rotation(ondemand::value value) {
  ondemand::object attributes;
  if (value.type() != ondemand::json_type::object || value.get(attributes) != simdjson::SUCCESS)
    return 0;
  double degrees = 0;
  for (ondemand::field field : attributes) {
    const std::string_view key = field.unescaped_key();
    if (key != "rotation") continue;
    double number = 0;
    if (field.value().get(number) == simdjson::SUCCESS && std::abs(number) <= 360) degrees = number;
  }
  return degrees;
}

// In the images themselves, as some programs nest them.
void note_own_annotations(ondemand::value value, std::string& fault) {
  if (!fault.empty() || is_null(value)) return;
  ondemand::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    fault = "annotations is not a list";
    return;
  }
  std::int64_t n = 0;
  for (ondemand::value annotation : array) {
    static_cast<void>(annotation);
    ++n;
  }
  if (n > 0)
    fault = "holds " + counted(n, "annotation", "annotations") +
            " of its own, which must be in the file's list `annotations`";
}

}  // namespace

CocoImage read_coco_image(ondemand::object object, CocoIds& ids) {
  CocoImage image;
  bool has_id = false;
  std::string address;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, take_id(field.value(), "id", ids, image.id, image.fault);
    if (key == "file_name") take_text(field.value(), "file_name", image.file_name, image.fault);
    if (key == "coco_url") take_text(field.value(), "coco_url", address, image.fault);
    if (key == "annotations") note_own_annotations(field.value(), image.fault);
    std::string_view word;
    if (key == "split" && field.value().get(word) == simdjson::SUCCESS) image.split_word = word;
    if (key == "width") take_size(field.value(), "width", image.width, image.fault);
    if (key == "height") take_size(field.value(), "height", image.height, image.fault);
  }
  if (image.fault.empty() && !has_id) image.fault = "has no id";
  // LVIS names its pictures by their address alone: the folder and the name are its end.
  if (image.file_name.empty() && !address.empty()) {
    const std::size_t slash = address.find_last_of('/', address.rfind('/') - 1);
    image.file_name = address.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  if (image.fault.empty() && image.file_name.empty()) image.fault = "has no file_name";
  return image;
}

CocoAnnotation read_coco_annotation(ondemand::object object, CocoIds& ids, CocoOutline& outline,
                                    double slack) {
  CocoAnnotation annotation;
  outline.kind = CocoOutline::Kind::none;
  bool has_image = false, has_category = false, has_box = false;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "image_id") {
      has_image = true;
      take_id(field.value(), "image_id", ids, annotation.image_id, annotation.fault);
    }
    if (key == "category_id") {
      has_category = true;
      take_id(field.value(), "category_id", ids, annotation.category_id, annotation.fault);
    }
    if (key == "iscrowd") annotation.crowd = read_crowd(field.value(), annotation.fault);
    if (key == "difficult") annotation.difficult = read_mark(field.value());
    if (key == "ignore") annotation.ignored = read_mark(field.value());
    if (key == "bbox") has_box = read_bbox(field.value(), annotation);
    if (key == "attributes") annotation.rotation = read_rotation(field.value());
    if (key == "segmentation") read_coco_outline(field.value(), outline);
    if (key == "area") take_area(field.value(), annotation);
  }
  if (annotation.fault.empty() && !has_image) annotation.fault = "has no image_id";
  if (annotation.fault.empty() && !has_category) annotation.fault = "has no category_id";
  if (annotation.fault.empty()) apply_coco_outline(outline, has_box, slack, annotation);
  return annotation;
}

CocoCategory read_coco_category(ondemand::object object, CocoIds& ids, std::string& fault) {
  CocoCategory category;
  bool has_id = false;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, take_id(field.value(), "category id", ids, category.id, fault);
    if (key == "name") take_text(field.value(), "category name", category.name, fault);
    std::string_view group;
    if (key == "supercategory" && !field.value().get_string().get(group)) category.group = group;
  }
  if (fault.empty() && !has_id) fault = "a category has no id";
  if (fault.empty() && category.name.empty())
    fault = "category " + std::to_string(category.id) + " has no name";
  return category;
}

}  // namespace letterpress::annotations
