#include "coco_document.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "coco_outline.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

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

void take_size(ondemand::value value, const char* key, std::int32_t& size, std::string& fault) {
  if (bool null = false; value.is_null().get(null) == simdjson::SUCCESS && null) return;
  std::int64_t number = 0;
  if (take(value, number, key, "an integer", fault) && number > 0 && number < 1 << 24)
    size = static_cast<std::int32_t>(number);
}

void take_text(ondemand::value value, const char* key, std::string& text, std::string& fault) {
  std::string_view view;
  if (take(value, view, key, "a text", fault)) text = view;
}

void take_id(ondemand::value value, const char* key, CocoIds& ids, std::int64_t& id,
             std::string& fault) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return void(id = ids.of(text));
  take(value, id, key, "an integer", fault);
}

CocoImage read_image(ondemand::object object, CocoIds& ids) {
  CocoImage image;
  bool has_id = false;
  std::string address;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, take_id(field.value(), "id", ids, image.id, image.fault);
    if (key == "file_name") take_text(field.value(), "file_name", image.file_name, image.fault);
    if (key == "coco_url") take_text(field.value(), "coco_url", address, image.fault);
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

// False when it is an empty list, which files of outlines alone have.
bool read_bbox(ondemand::value value, CocoAnnotation& annotation) {
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
  if (bool null = false; value.is_null().get(null) == simdjson::SUCCESS && null) return false;
  bool crowd = false;
  if (value.get(crowd) == simdjson::SUCCESS) return crowd;
  std::int64_t number = 0;
  return take(value, number, "iscrowd", "0 or 1", fault) && number != 0;
}

bool read_difficult(ondemand::value value) {
  std::string ignored;
  const bool difficult = read_crowd(value, ignored);
  return difficult && ignored.empty();
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

CocoAnnotation read_annotation(ondemand::object object, CocoIds& ids, CocoOutline& outline,
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
    if (key == "difficult") annotation.difficult = read_difficult(field.value());
    if (key == "bbox") has_box = read_bbox(field.value(), annotation);
    if (key == "attributes") annotation.rotation = read_rotation(field.value());
    if (key == "segmentation") read_coco_outline(field.value(), outline);
    double area = -1;
    if (key == "area" && take(field.value(), area, "area", "a number", annotation.fault) &&
        area >= 0 && area < 1e14)
      annotation.area = static_cast<float>(area);
  }
  if (annotation.fault.empty() && !has_image) annotation.fault = "has no image_id";
  if (annotation.fault.empty() && !has_category) annotation.fault = "has no category_id";
  if (annotation.fault.empty()) apply_coco_outline(outline, has_box, slack, annotation);
  return annotation;
}

CocoCategory read_category(ondemand::object object, CocoIds& ids, std::string& fault) {
  CocoCategory category;
  bool has_id = false;
  for (ondemand::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, take_id(field.value(), "category id", ids, category.id, fault);
    if (key == "name") take_text(field.value(), "category name", category.name, fault);
  }
  if (fault.empty() && !has_id) fault = "a category has no id";
  if (fault.empty() && category.name.empty())
    fault = "category " + std::to_string(category.id) + " has no name";
  return category;
}

class CocoFile {
 public:
  CocoFile(const FileTree& files, const std::filesystem::path& path, double slack)
      : path_(path.string()), slack_(slack), text_(load(files, path)) {}

  CocoDocument read() {
    CocoDocument result;
    ondemand::document document;
    try {
      document = parser_.iterate(text_);
    } catch (const simdjson::simdjson_error& error) {
      fail_at(text_.size(), "is not whole JSON: " + std::string(error.what()) + " in the " +
                                std::to_string(text_.size()) + " bytes before");
    }
    try {
      read_lists(document, result);
    } catch (const simdjson::simdjson_error& error) {
      if (error.error() == simdjson::INCORRECT_TYPE)
        fail_at(place_in(document),
                "is not COCO JSON: must be an object with the lists images, annotations and "
                "categories");
      // simdjson looks for the end at the beginning.
      const bool is_incomplete = error.error() == simdjson::INCOMPLETE_ARRAY_OR_OBJECT;
      if (is_incomplete && !ends_with_brace())
        fail_at(
            text_.size(),
            "is not whole JSON: its last character is not }, so it is cut, or other text follows");
      fail_at(is_incomplete ? text_.size() : place_in(document),
              "is not whole JSON: " + std::string(error.what()));
    }
    check(result);
    return result;
  }

 private:
  static simdjson::padded_string load(const FileTree& files, const std::filesystem::path& path) {
    simdjson::padded_string text(static_cast<std::size_t>(files.size_of(path, "name a COCO JSON")));
    files.read(path, std::as_writable_bytes(std::span(text.data(), text.size())));
    // simdjson takes no byte order mark; blanks keep the byte numbers of messages true.
    if (std::string_view(text.data(), text.size()).starts_with("\xEF\xBB\xBF"))
      std::fill_n(text.data(), 3, ' ');
    return text;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    throw Error({.where = path_, .what = what, .fix = fix});
  }
  [[noreturn]] void fail_at(std::size_t byte, const std::string& what) const {
    fail("byte " + std::to_string(byte) + " of " + std::to_string(text_.size()) + ": " + what,
         "copy or export the file again");
  }

  std::size_t place_in(ondemand::document& document) {
    const char* place = nullptr;
    if (document.current_location().get(place) || place < text_.data() ||
        place > text_.data() + text_.size())
      return text_.size();
    return static_cast<std::size_t>(place - text_.data());
  }

  // As a JSON object does, blanks aside.
  bool ends_with_brace() const {
    const std::string_view text(text_.data(), text_.size());
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return last != std::string_view::npos && text[last] == '}';
  }

  void read_lists(ondemand::document& document, CocoDocument& result) {
    ondemand::object object = document.get_object();
    for (ondemand::field field : object) {
      const std::string_view key = field.unescaped_key();
      if (key == "images") {
        has_images_ = true;
        read_list(field.value(), result.images,
                  [&](ondemand::object entry) { return read_image(entry, result.ids); });
      }
      if (key == "annotations") {
        has_annotations_ = true;
        read_list(field.value(), result.annotations, [&](ondemand::object entry) {
          return read_annotation(entry, result.ids, outline_, slack_);
        });
      }
      if (key == "categories") {
        has_categories_ = true;
        read_list(field.value(), result.categories, [&](ondemand::object entry) {
          return read_category(entry, result.ids, category_fault_);
        });
      }
    }
    const char* rest = nullptr;
    if (!document.current_location().get(rest))
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
  }

  // An entry that is not an object throws: a list of anything else is not a COCO file.
  template <class T, class Read>
  static void read_list(ondemand::value value, std::vector<T>& list, Read read_entry) {
    for (ondemand::value entry : value.get_array()) list.push_back(read_entry(entry.get_object()));
  }

  void check(CocoDocument& result) const {
    if (!has_images_) fail("holds no list `images`", "is it a COCO detection file?");
    if (!has_annotations_)
      fail("holds no list `annotations`, so no boxes", "name the file with the labels");
    if (!has_categories_)
      fail("holds no list `categories`, so the ids have no names", "export it with categories");
    if (!category_fault_.empty()) fail(category_fault_, "give every category an id and a name");
    std::vector<CocoCategory>& categories = result.categories;
    std::stable_sort(categories.begin(), categories.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (std::size_t i = 1; i < categories.size(); ++i) {
      if (categories[i].id != categories[i - 1].id) continue;
      fail("category id " + result.ids.text(categories[i].id) + " is given twice, for " +
               in_quotes(categories[i - 1].name) + " and " + in_quotes(categories[i].name),
           "give each its own");
    }
    std::vector<std::string> names;
    for (const CocoCategory& category : categories) names.push_back(category.name);
    check_class_names(names, path_ + " (categories by id)");
  }

  std::string path_;
  double slack_;
  simdjson::padded_string text_;
  ondemand::parser parser_;
  bool has_images_ = false, has_annotations_ = false, has_categories_ = false;
  std::string category_fault_;
  CocoOutline outline_;
};

}  // namespace

CocoDocument read_coco_document(const FileTree& files, const std::filesystem::path& path,
                                double slack) {
  return CocoFile(files, path, slack).read();
}

}  // namespace letterpress::annotations
