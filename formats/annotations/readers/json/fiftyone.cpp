// FiftyOne: labels.json beside data/ (FiftyOneImageDetectionDataset) and samples.json beside data/
// (FiftyOneDataset); docs.voxel51.com/user_guide/export_datasets.html. Boxes are x, y, width,
// height as shares of the picture.
#include <array>
#include <map>

#include "formats/annotations/files/text.h"
#include "formats/annotations/pictures/names_by_id.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
extern const AnnotationFormat fiftyone;
namespace {

constexpr const char* kGroundTruth = "ground_truth";  // FiftyOne's own default of label_field
constexpr std::string_view kDetections = "detections", kPolylines = "polylines";

class FiftyOneReader {
 public:
  FiftyOneReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()),
        has_own_order_(options.classes.empty()),
        set_(set),
        pictures_(input, options, set) {}

  void read(json::element root) {
    if (const auto labels = value_at(root, "labels")) {
      for (const json::element name : list_at(root, "classes")) classes_.push_back(text_of(name));
      json::object entries;
      if (labels->get(entries))
        throw Error({.where = path_, .what = "labels is not an object", .fix = "export it again"});
      for (const auto& [name, detections] : entries) read_entry(std::string(name), detections);
    } else {
      const std::vector<json::element> samples = list_at(root, "samples");
      choose_fields(samples);
      for (const json::element sample : samples) read_sample(sample);
    }
    around_.add_to(set_.remarks);
    if (passed_over_ > 0)
      set_.remarks.push_back(counted(passed_over_, "polyline", "polylines") +
                             " beside detections are passed over");
    pictures_.finish(classes_);
    set_.classes_by_place = by_place_ && has_own_order_;
  }

 private:
  // By the file's name without its extension; null: no detections.
  void read_entry(const std::string& name, json::element detections) {
    StatedPicture picture{.names = picture_names_by_id(name, ""),
                          .where = path_ + ": " + printable(name),
                          .normalised = true};
    if (has_picture_extension(name)) picture.names.insert(picture.names.begin(), name);
    if (!detections.is_null()) {
      for (const json::element detection : list_or_fault(detections, "labels", picture.fault))
        add(detection, picture);
    }
    pictures_.add(std::move(picture));
  }

  // What stands there in place of a list counts too, so that its field is read and it is told.
  static std::int64_t n_in(std::string_view list, json::element field) {
    const auto items = value_unless_null(field, list);
    if (!items) return 0;
    return items->is_array() ? static_cast<std::int64_t>(list_of(*items).size()) : 1;
  }

  // A list of detections is not a field that FiftyOne writes.
  static bool holds_one(json::element field) {
    const std::vector<json::element> list = list_of(field);
    return value_at(list.empty() ? field : list.front(), "bounding_box").has_value();
  }

  // Names of fields that have a list of objects, and how many there are in it over all samples.
  using Fields = std::map<std::string, std::int64_t>;

  // What a model found stands in a field like that of the labels: one field is read, for all
  // samples.
  std::string chosen(std::string_view list, const Fields& fields) {
    if (fields.empty()) return {};
    std::string others;
    for (const auto& [name, n] : fields) {
      if (name != kGroundTruth) others += (others.empty() ? "" : ", ") + in_quotes(name);
    }
    const bool has_ground_truth = fields.contains(kGroundTruth);
    if (!has_ground_truth && fields.size() > 1)
      throw Error(
          {.where = path_,
           .what = "its samples have " + std::string(list) + " in the fields " + others +
                   ", which may be labels or what a model found",
           .fix = std::string("export one of them (label_field=), or call it ") + kGroundTruth});
    if (!others.empty())
      set_.remarks.push_back(
          std::string(list) + " are read from the field " +
          (has_ground_truth ? kGroundTruth + std::string(", not from ") + others : others));
    return has_ground_truth ? kGroundTruth : fields.begin()->first;
  }

  // {"_cls": "Detections", "detections": [...]}, {"_cls": "Polylines", "polylines": [...]}, or one
  // object, {"_cls": "Detection", "bounding_box": [...]}. Lanes and areas beside the objects of a
  // detector are not further objects.
  void choose_fields(const std::vector<json::element>& samples) {
    Fields detections, polylines;
    for (const json::element sample : samples) {
      json::object fields;
      if (sample.get(fields)) continue;
      for (const auto& [key, field] : fields) {
        if (const std::int64_t n = holds_one(field) ? 1 : n_in(kDetections, field); n > 0)
          detections[std::string(key)] += n;
        if (const std::int64_t n = n_in(kPolylines, field); n > 0) polylines[std::string(key)] += n;
      }
    }
    detections_ = chosen(kDetections, detections);
    if (detections_.empty()) {
      polylines_ = chosen(kPolylines, polylines);
    } else {
      for (const auto& [name, n] : polylines) passed_over_ += n;
    }
  }

  void read_sample(json::element sample) {
    const std::string name = text_at(sample, "filepath");
    StatedPicture picture{
        .names = {name}, .where = path_ + ": " + printable(name), .normalised = true};
    std::vector<std::string> tags;
    for (const json::element tag : list_at(sample, "tags")) tags.push_back(text_of(tag));
    picture.split_word = split_among(tags);
    if (const auto metadata = value_at(sample, "metadata")) {
      picture.width = size_at(*metadata, "width");
      picture.height = size_at(*metadata, "height");
    }
    if (name.empty())
      picture.fault = Message{.what = "a sample has no filepath", .fix = "export it again"};
    const auto detections = value_at(sample, detections_);
    if (const auto field = detections ? detections : value_at(sample, polylines_)) {
      picture.labelled = !field->is_null();
      read_field(*field, detections ? kDetections : kPolylines, picture);
    } else {
      picture.labelled = false;
    }
    pictures_.add(std::move(picture));
  }

  void read_field(json::element field, std::string_view list, StatedPicture& picture) {
    const bool is_of_detections = list == kDetections;
    const std::string& name = is_of_detections ? detections_ : polylines_;
    if (field.is_null() || !object_or_fault(field, name, picture.fault)) return;
    if (is_of_detections && value_at(field, "bounding_box")) add(field, picture);
    for (const json::element item : list_at_or_fault(field, list, picture.fault)) {
      if (is_of_detections) {
        add(item, picture);
      } else {
        add_polyline(item, picture);
      }
    }
  }

  void add(json::element detection, StatedPicture& picture) {
    const std::vector<json::element> numbers = list_at(detection, "bounding_box");
    std::array<double, 4> box{};
    bool whole = numbers.size() == box.size();
    for (std::size_t i = 0; whole && i < box.size(); ++i) {
      const auto number = number_of(numbers[i]);
      whole = number.has_value();
      box[i] = number.value_or(0);
    }
    if (!whole)
      picture.fault = Message{.what = "a detection has no bounding_box of four numbers",
                              .fix = "correct or remove it"};
    picture.boxes.push_back({box_at(box[0], box[1], box[2], box[3]), label_of(detection, picture)});
    if (is_crowd(detection)) picture.boxes.back().box.flags |= kCrowd;
  }

  // As its importer of COCO keeps it: of the detection itself, or among its attributes, which older
  // versions wrap: {"_cls": "NumericAttribute", "value": 1}.
  static bool is_crowd(json::element detection) {
    if (is_true_at(detection, kIsCrowd)) return true;
    const auto attributes = value_at(detection, "attributes");
    if (!attributes) return false;
    const auto wrapped = value_at(*attributes, kIsCrowd);
    return is_true_at(*attributes, kIsCrowd) || (wrapped && is_true_at(*wrapped, "value"));
  }

  // {"points": [[[x, y], ...], ...], "closed": true, "filled": true}, of one part or several.
  void add_polyline(json::element polyline, StatedPicture& picture) {
    BoxAround around;
    bool whole = true;
    for (const json::element part : list_at(polyline, "points")) {
      for (const json::element point : list_of(part)) {
        const std::vector<json::element> pair = list_of(point);
        const auto x = pair.size() == 2 ? number_of(pair[0]) : std::nullopt;
        const auto y = pair.size() == 2 ? number_of(pair[1]) : std::nullopt;
        whole = whole && x && y;
        if (x && y) around.add(*x, *y);
      }
    }
    const std::string label = label_of(polyline, picture);
    if (whole && around.points() >= 3 &&
        (is_true_at(polyline, "closed") || is_true_at(polyline, "filled"))) {
      ++around_.shapes;
      return picture.boxes.push_back({around.box(), label});
    }
    const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
    picture.box_rejects.push_back(
        {picture.where + ", object " + std::to_string(n),
         in_quotes(label) + (whole ? " is a polyline that is not a polygon"
                                   : " has a point that is not two numbers"),
         whole ? "close it, or draw a box around it" : "correct or remove it", Reject::Scope::box});
  }

  // A name, or its place among `classes`.
  std::string label_of(json::element detection, StatedPicture& picture) {
    const auto label = value_at(detection, "label");
    if (!label || !number_of(*label)) return text_at(detection, "label");
    by_place_ = true;
    const auto place = integer_of(*label);
    const bool known = place && *place >= 0 && *place < std::ssize(classes_);
    if (known) return classes_[static_cast<std::size_t>(*place)];
    picture.fault =
        Message{.what = "label " + written(*label) + " is no place in classes, which has " +
                        std::to_string(classes_.size()) + " names, counted from 0",
                .fix = "correct it, or export it again with its classes"};
    return {};
  }

  std::string path_;
  bool has_own_order_;  // of classes; else --classes has it, and names lead there
  AnnotationSet& set_;
  StatedPictures pictures_;
  AroundCounts around_;
  std::int64_t passed_over_ = 0;
  bool by_place_ = false;  // some label is a place among classes_
  std::vector<std::string> classes_;
  std::string detections_{}, polylines_{};  // the fields that are read; empty: there are none
};

Recognition recognise_fiftyone(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be its labels.json or samples.json"};
  const auto holds = [&](const char* key) { return input.head.find(key) != std::string::npos; };
  const bool is_object = trim(input.head).starts_with('{') && !holds("\"data_row\"");
  for (const char* key : {"\"labels\"", "\"samples\""}) {
    if (is_object && holds(key) && holds("\"bounding_box\""))
      return {true, std::string("a JSON object with ") + key + " and \"bounding_box\""};
  }
  if (is_object && holds("\"samples\"") && holds("\"polylines\""))
    return {true, "a JSON object with \"samples\" and \"polylines\""};
  return {false, "not a JSON object with \"labels\" or \"samples\" and \"bounding_box\""};
}

void read_fiftyone(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  FiftyOneReader(input, options, set).read(JsonFile(input.files, input.path).root());
}

}  // namespace

constinit const AnnotationFormat fiftyone{
    "fiftyone", "FiftyOne: labels.json or samples.json, with the pictures in data/",
    recognise_fiftyone, read_fiftyone};

}  // namespace letterpress::annotations
