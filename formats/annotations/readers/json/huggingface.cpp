// Hugging Face datasets, ImageFolder: metadata.jsonl beside the pictures, boxes as x, y, width,
// height in pixels (huggingface.co/docs/datasets/image_dataset, "Object detection").
#include <algorithm>
#include <array>

#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/class_names.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
extern const AnnotationFormat huggingface;
namespace {
namespace fs = std::filesystem;

constexpr const char* kFile = "metadata.jsonl";
constexpr std::array kClassKeys{"categories", "category", "labels", "label"};

class HuggingFaceReader {
 public:
  HuggingFaceReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), options_(options), set_(set), pictures_(input, options, set) {}

  void read(const fs::path& path) {
    const std::string text = input_.files.read_text(path);
    for (Lines lines(text); lines.next();) {
      StatedPicture picture{.folder = folder_of(path),
                            .where = path.string() + ":" + std::to_string(lines.number()),
                            .split = split_of_name(folder_of(path).filename().string())};
      const auto row = parse_json(parser_, lines.text());
      if (row) {
        picture.names = {text_at(*row, "file_name")};
        picture.width = size_at(*row, "width");
        picture.height = size_at(*row, "height");
        picture.split_word = text_at(*row, "split");
      }
      if (picture.names.empty() || picture.names.front().empty()) {
        picture.names.clear();
        picture.fault = Message{.what = "is not JSON with a file_name", .fix = "correct this line"};
      } else if (const auto objects = value_unless_null(*row, "objects")) {
        add_objects(*objects, picture);
      } else {
        refuse_other_keys(*row, picture);
      }
      pictures_.add(std::move(picture));
    }
  }

  void finish() {
    pictures_.finish(names_);
    set_.classes_by_place = by_place_;
  }

 private:
  // Boxes that are not in `objects` would make it a picture without any.
  static void refuse_other_keys(json::element row, StatedPicture& picture) {
    for (const char* key : {"bbox", "bboxes", "boxes", "annotations"}) {
      const auto value = value_unless_null(row, key);
      if (!value || !holds_any(*value)) continue;
      picture.fault = Message{.what = "has " + in_quotes(key) + " and no objects",
                              .fix =
                                  "write its boxes as objects, with the lists bbox and "
                                  "categories"};
      return;
    }
  }

  // Whether it is a list with an element, or an object with such a list.
  static bool holds_any(json::element value) {
    if (value.is_array()) return !list_of(value).empty();
    json::object fields;
    if (value.get(fields)) return false;
    return std::ranges::any_of(fields, [](const auto& field) {
      return field.value.is_array() && !list_of(field.value).empty();
    });
  }

  void add_objects(json::element objects, StatedPicture& picture) {
    if (objects.is_array()) return add_each(objects, picture);
    if (objects.is_object()) return add_columns(objects, picture);
    picture.fault =
        Message{.what = "objects is " + printable(written(objects)) +
                        ", must be an object of the lists bbox and categories, or a list of "
                        "objects with a bbox and a category each",
                .fix = "write it as JSON of that form"};
  }

  // [{"bbox": [x, y, width, height], "category": "nut"}, ...]
  void add_each(json::element objects, StatedPicture& picture) {
    for (const json::element object : list_of(objects)) {
      if (!object_or_fault(object, "an element of objects", picture.fault)) continue;
      std::optional<json::element> label;
      for (const char* key : kClassKeys) {
        if (!label) label = value_unless_null(object, key);
      }
      const auto box = value_at(object, "bbox");
      add_box(box ? list_of(*box) : std::vector<json::element>(), label ? class_of(*label) : "",
              picture);
      if (is_true_at(object, kIsCrowd)) picture.boxes.back().box.flags |= kCrowd;
    }
  }

  // {"bbox": [[x, y, width, height], ...], "categories": ["nut", ...]}
  void add_columns(json::element objects, StatedPicture& picture) {
    const auto column = [&](const char* key) {
      const auto value = value_unless_null(objects, key);
      return value ? list_or_fault(*value, std::string(key) + " of objects", picture.fault)
                   : std::vector<json::element>();
    };
    const std::vector<json::element> boxes = column("bbox");
    std::vector<json::element> classes;
    for (const char* key : kClassKeys) {
      if (classes.empty()) classes = column(key);
    }
    json::object keys;
    if (!value_at(objects, "bbox") && !objects.get(keys) && keys.size() > 0 && !picture.fault)
      picture.fault = Message{.what = "objects has no bbox", .fix = "call its boxes so"};
    if (classes.size() != boxes.size() && !picture.fault)
      picture.fault = Message{.what = "objects has " + std::to_string(boxes.size()) + " bbox and " +
                                      std::to_string(classes.size()) + " categories",
                              .fix = "write one category per box"};
    const std::vector<json::element> crowds = column(kIsCrowd);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      add_box(list_of(boxes[i]), i < classes.size() ? class_of(classes[i]) : "", picture);
      if (i < crowds.size() && is_true(crowds[i])) picture.boxes.back().box.flags |= kCrowd;
    }
  }

  static void add_box(const std::vector<json::element>& numbers, std::string class_name,
                      StatedPicture& picture) {
    std::array<double, 4> box{};
    bool whole = numbers.size() == box.size();
    for (std::size_t k = 0; whole && k < box.size(); ++k) {
      const auto number = number_of(numbers[k]);
      whole = number.has_value();
      box[k] = number.value_or(0);
    }
    if (!whole)
      picture.fault = Message{.what = "a bbox is not x, y, width, height", .fix = "correct it"};
    picture.boxes.push_back({box_at(box[0], box[1], box[2], box[3]), std::move(class_name)});
  }

  // A name, or its place in --classes.
  std::string class_of(json::element value) {
    if (!number_of(value)) return text_of(value);
    if (names_.empty()) names_ = required_class_names(input_, options_);
    by_place_ = true;
    const auto place = integer_of(value);
    const bool known = place && *place >= 0 && *place < std::ssize(names_);
    return known ? names_[static_cast<std::size_t>(*place)] : written(value);
  }

  const Input& input_;
  const AnnotationOptions& options_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  json::parser parser_;
  std::vector<std::string> names_;
  bool by_place_ = false;
};

// Those of a folder: its own, or one in each split's folder.
std::vector<fs::path> files_of(const Input& input) {
  if (!input.is_folder) return {input.path};
  std::vector<fs::path> files;
  for (const std::string& file : input.files.files_below(input.path, ".jsonl")) {
    if (fs::path(file).filename() == kFile) files.push_back(input.path / file);
  }
  return files;
}

Recognition recognise_huggingface(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) {
    const bool fits = !files_of(input).empty();
    return {.fits = fits,
            .why = fits ? "a folder with a metadata.jsonl" : "a folder without a metadata.jsonl",
            .rivals = Rivals::all};
  }
  const bool fits = trim(input.head).starts_with('{') && input.path.extension() == ".jsonl" &&
                    input.head.find("\"file_name\"") != std::string::npos;
  return {fits, fits ? "lines of JSON with \"file_name\"" : "not a .jsonl with \"file_name\""};
}

void read_huggingface(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  HuggingFaceReader reader(input, options, set);
  for (const fs::path& file : files_of(input)) reader.read(file);
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat huggingface{
    "huggingface",
    "Hugging Face's ImageFolder: metadata.jsonl beside the pictures (ids need --classes)",
    recognise_huggingface, read_huggingface};

}  // namespace letterpress::annotations
