#include <simdjson.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/detections/coco.h"

namespace letterpress {
namespace {
namespace json = simdjson::ondemand;
constexpr const char* kGroundTruth = "a COCO data set with images, categories and annotations";
constexpr const char* kDetections = "a list of detections, or a COCO data set with scores";

/// The entry of a file that a value is in: "found.json: detection 17".
struct Entry {
  const std::string& file;
  const char* kind;
  std::size_t index = 0;

  Error error(const std::string& what) const {
    return Error({.where = file + ": " + kind + " " + std::to_string(index), .what = what});
  }
};

std::int64_t integer(json::value value, const char* key, const Entry& in) {
  std::int64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS)
    throw in.error(std::string(key) + " is not an integer");
  return number;
}

std::int32_t pixels(json::value value, const char* key, const Entry& in) {
  const std::int64_t n = integer(value, key, in);
  if (n < 0 || n > std::numeric_limits<std::int32_t>::max()) {
    throw in.error(std::string(key) + " is " + std::to_string(n) +
                   ", must be pixels from 0 to 2147483647");
  }
  return static_cast<std::int32_t>(n);
}

double number(json::value value, const char* key, const Entry& in) {
  double result = 0;
  if (value.get(result) != simdjson::SUCCESS || !std::isfinite(result))
    throw in.error(std::string(key) + " is not a finite number");
  return result;
}

std::string text(json::value value, const char* key, const Entry& in) {
  std::string_view view;
  if (value.get(view) != simdjson::SUCCESS) throw in.error(std::string(key) + " is not a text");
  return std::string(view);
}

/// 0 and 1, or false and true.
bool flag(json::value value, const char* key, const Entry& in) {
  bool set = false;
  return value.get(set) == simdjson::SUCCESS ? set : integer(value, key, in) != 0;
}

/// An integer, or a text into `name`.
std::int64_t id_or_name(json::value value, const char* key, const Entry& in, std::string& name) {
  if (value.type() == json::json_type::number) return integer(value, key, in);
  name = text(value, key, in);
  return -1;
}

CocoBox box(json::value value, const Entry& in) {
  CocoBox result;
  double* const places[] = {&result.x, &result.y, &result.width, &result.height};
  json::array array;
  if (value.get(array) != simdjson::SUCCESS) throw in.error("bbox is not a list");
  std::size_t n = 0;
  for (json::value element : array) {
    if (n < 4) *places[n] = number(element, "bbox", in);
    ++n;
  }
  if (n != 4)
    throw in.error("bbox holds " + std::to_string(n) + " numbers, must be x, y, width, height");
  if (result.width < 0 || result.height < 0)
    throw in.error("bbox is " + std::to_string(result.width) + " wide and " +
                   std::to_string(result.height) +
                   " high, must be x, y, width, height, not two corners");
  return result;
}

CocoResult result_of(json::object object, const Entry& in) {
  CocoResult result;
  bool has_image = false, has_category = false, has_box = false, has_score = false;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "image_id")
      has_image = true, result.image_id = id_or_name(field.value(), "image_id", in, result.image);
    if (key == "file_name" && !has_image)
      has_image = true, result.image = text(field.value(), "file_name", in);
    if (key == "category_id")
      has_category = true,
      result.category_id = id_or_name(field.value(), "category_id", in, result.category);
    if (key == "bbox") has_box = true, result.box = box(field.value(), in);
    if (key == "score") has_score = true, result.score = number(field.value(), "score", in);
  }
  if (!has_image) throw in.error("has neither image_id nor file_name");
  if (!has_category) throw in.error("has no category_id");
  if (!has_box) throw in.error("has no bbox");
  if (!has_score) throw in.error("has no score, as detections have");
  if (result.image_id >= 0) result.image.clear();
  return result;
}

// Its lists name pictures and classes, by ids.
CocoResult result_in_set(json::object object, const Entry& in) {
  CocoResult result = result_of(object, in);
  if (result.image_id < 0 || result.category_id < 0)
    throw in.error("image_id or category_id is not an id of the file's lists");
  return result;
}

CocoGroundTruth::Image image_of(json::object object, const Entry& in) {
  CocoGroundTruth::Image image;
  bool has_id = false;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, image.id = integer(field.value(), "id", in);
    if (key == "file_name") image.file_name = text(field.value(), "file_name", in);
    if (key == "width") image.width = pixels(field.value(), "width", in);
    if (key == "height") image.height = pixels(field.value(), "height", in);
  }
  if (!has_id) throw in.error("has no id");
  return image;
}

CocoGroundTruth::Category category_of(json::object object, const Entry& in) {
  CocoGroundTruth::Category category;
  bool has_id = false;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "id") has_id = true, category.id = integer(field.value(), "id", in);
    if (key == "name") category.name = text(field.value(), "name", in);
  }
  if (!has_id) throw in.error("has no id");
  if (category.name.empty()) category.name = std::to_string(category.id);
  return category;
}

CocoGroundTruth::Annotation annotation_of(json::object object, const Entry& in) {
  CocoGroundTruth::Annotation one;
  bool has_image = false, has_category = false, has_box = false, has_area = false;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "image_id") has_image = true, one.image_id = integer(field.value(), "image_id", in);
    if (key == "category_id")
      has_category = true, one.category_id = integer(field.value(), "category_id", in);
    if (key == "bbox") has_box = true, one.box = box(field.value(), in);
    if (key == "area") has_area = true, one.area = number(field.value(), "area", in);
    if (key == "iscrowd") one.crowd = flag(field.value(), "iscrowd", in);
    if (key == "difficult") one.difficult = flag(field.value(), "difficult", in);
  }
  if (!has_image) throw in.error("has no image_id");
  if (!has_category) throw in.error("has no category_id");
  if (!has_box) throw in.error("has no bbox");
  if (!has_area) one.area = one.box.width * one.box.height;
  return one;
}

/// Every object of a list through `read`; `kind` is what one is called.
template <class T, class Read>
std::vector<T> list_of(json::array array, const std::string& file, const char* kind,
                       const Read& read) {
  std::vector<T> entries;
  for (json::value element : array) {
    const Entry in{file, kind, entries.size()};
    json::object object;
    if (element.get(object) != simdjson::SUCCESS) throw in.error("is not an object");
    entries.push_back(read(object, in));
  }
  return entries;
}

/// read(document); simdjson's own errors become ours. content: "a list of detections".
template <class T, class Read>
T read_document(const std::filesystem::path& file, const char* content, const Read& read) {
  const simdjson::padded_string padded(read_file(file));
  json::parser parser;
  try {
    json::document document = parser.iterate(padded);
    T result = read(document);
    if (document.current_location().error() == simdjson::SUCCESS)
      throw Error({.where = file.string(), .what = "something follows the end of the JSON"});
    return result;
  } catch (const simdjson::simdjson_error& error) {
    throw Error({.where = file.string(),
                 .what = std::string("is not a whole JSON file with ") + content + " (" +
                         error.what() + ")"});
  }
}

/// A data set, with what its annotations are read as.
template <class T>
struct DataSet {
  std::vector<CocoGroundTruth::Image> images{};
  std::vector<CocoGroundTruth::Category> categories{};
  std::vector<T> annotations{};
};

template <class T, class Read>
DataSet<T> read_set(json::object object, const std::string& file, const char* wanted,
                    const Read& read) {
  DataSet<T> set;
  bool has_images = false, has_categories = false, has_annotations = false;
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    if (key == "images")
      has_images = true,
      set.images = list_of<CocoGroundTruth::Image>(field.value(), file, "image", image_of);
    if (key == "categories")
      has_categories = true, set.categories = list_of<CocoGroundTruth::Category>(
                                 field.value(), file, "category", category_of);
    if (key == "annotations")
      has_annotations = true, set.annotations = list_of<T>(field.value(), file, "annotation", read);
  }
  for (const auto& [has, list] : {std::pair{has_images, "images"},
                                  {has_categories, "categories"},
                                  {has_annotations, "annotations"}})
    if (!has)
      throw Error(
          {.where = file, .what = std::string("holds no list '") + list + "', must be " + wanted});
  return set;
}

template <class T>
std::unordered_map<std::int64_t, const T*> by_id(const std::vector<T>& entries,
                                                 const std::string& file, const char* kind) {
  std::unordered_map<std::int64_t, const T*> entry_of;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!entry_of.emplace(entries[i].id, &entries[i]).second)
      throw Entry{file, kind, i}.error("its id " + std::to_string(entries[i].id) +
                                       " is given twice");
  return entry_of;
}

/// f(annotation, its image, its category) of each; an id that no list has is an Error.
template <class T, class F>
void for_each_annotation(DataSet<T>& set, const std::string& file, const F& f) {
  const auto images = by_id(set.images, file, "image");
  const auto categories = by_id(set.categories, file, "category");
  for (std::size_t i = 0; i < set.annotations.size(); ++i) {
    T& one = set.annotations[i];
    const Entry in{file, "annotation", i};
    const auto image = images.find(one.image_id);
    const auto category = categories.find(one.category_id);
    if (image == images.end())
      throw in.error("no image has its image_id " + std::to_string(one.image_id));
    if (category == categories.end())
      throw in.error("no category has its category_id " + std::to_string(one.category_id));
    f(one, *image->second, *category->second, in);
  }
}

/// Of detections that a data set holds as annotations: its ids are its own, so pictures and classes
/// are known by their names.
std::vector<CocoResult> named_by_set(DataSet<CocoResult> set, const std::string& file) {
  const auto name = [](CocoResult& one, const auto& image, const auto& category, const Entry& in) {
    if (image.file_name.empty()) throw in.error("its image has no file_name to be known by");
    one.image_id = one.category_id = -1;
    one.image = image.file_name;
    one.category = category.name;
  };
  for_each_annotation(set, file, name);
  return std::move(set.annotations);
}

}  // namespace

std::vector<CocoResult> read_coco_results(const std::filesystem::path& file) {
  const std::string name = file.string();
  return read_document<std::vector<CocoResult>>(
      file, "a list of detections", [&](json::document& document) {
        if (document.type() == json::json_type::object)
          return named_by_set(
              read_set<CocoResult>(document.get_object(), name, kDetections, result_in_set), name);
        return list_of<CocoResult>(document.get_array(), name, "detection", result_of);
      });
}

CocoGroundTruth read_coco_ground_truth(const std::filesystem::path& file) {
  const std::string name = file.string();
  return read_document<CocoGroundTruth>(
      file, "images, categories and annotations", [&](json::document& document) {
        auto set = read_set<CocoGroundTruth::Annotation>(document.get_object(), name, kGroundTruth,
                                                         annotation_of);
        for_each_annotation(set, name, [](const auto&...) {});
        return CocoGroundTruth{std::move(set.images), std::move(set.categories),
                               std::move(set.annotations)};
      });
}

}  // namespace letterpress
