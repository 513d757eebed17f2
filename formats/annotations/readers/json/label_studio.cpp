// Label Studio: JSON and JSON-MIN (labelstud.io/guide/export, "Raw JSON format"). Coordinates are
// percents of the picture; a rectangle turns around its top left corner.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/several_labels.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "label_studio_tasks.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
extern const AnnotationFormat label_studio;
namespace {

constexpr double kPercent = 100;

std::vector<std::string> texts_at(json::element value, const char* key) {
  std::vector<std::string> texts;
  for (const json::element text : list_at(value, key)) texts.push_back(text_of(text));
  return texts;
}

// Those of a tool that draws and labels at once, <RectangleLabels>.
std::vector<std::string> labels_of_shape(json::element value) {
  for (const char* key : {"rectanglelabels", "polygonlabels", "ellipselabels", "brushlabels",
                          "bitmasklabels", "keypointlabels", "vectorlabels"}) {
    if (std::vector<std::string> labels = texts_at(value, key); !labels.empty()) return labels;
  }
  return {};
}

// What results of one region have in common: their id or, in JSON-MIN, where it is left out, the
// geometry, which each of them states.
std::string region_key(json::element value, json::element result) {
  std::string key = text_at(result, "id");
  if (!key.empty()) return key;
  for (const char* part :
       {"x", "y", "width", "height", "rotation", "radiusX", "radiusY", "points"}) {
    const auto number = value_at(value, part);
    key += (number ? written(*number) : "") + " ";
  }
  return key;
}

// The regions of one annotation. A tool that only draws (<Rectangle>), its <Labels> and what else
// is said of its region are results of their own.
struct Region {
  json::element value;
  json::element sizes;  // what has original_width and original_height
  std::vector<std::string> labels;
};
class Regions {
 public:
  void add(json::element value, json::element result) {
    std::vector<std::string> labels = labels_of_shape(value);
    const bool is_whole = !labels.empty();
    if (!is_whole) labels = texts_at(value, "labels");
    if (labels.empty() && !value_at(value, "x") && !value_at(value, "points")) return;  // a choice
    const auto [place, is_new] = places_.emplace(region_key(value, result), all_.size());
    if (is_new || (is_whole && !all_[place->second].labels.empty())) {
      all_.push_back({value, result, std::move(labels)});
    } else {
      std::ranges::move(labels, std::back_inserter(all_[place->second].labels));
    }
  }
  const std::vector<Region>& all() const noexcept { return all_; }

 private:
  std::vector<Region> all_;
  std::map<std::string, std::size_t> places_;
};

class LabelStudioReader {
 public:
  LabelStudioReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()), set_(set), pictures_(input, options, set, true) {}

  void read(json::element root) {
    const std::vector<json::element> tasks = list_of(root);
    const LabelStudioTasks pictures(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) read_task(tasks[i], i, pictures);
    add_remarks();
    pictures_.finish();
  }

 private:
  void add_remarks() const {
    if (several_ > 0)
      set_.remarks.push_back(counted(several_, "task has", "tasks have") +
                             " several annotations, of which the first is read");
    labels_.add_to(set_.remarks);
    around_.add_to(set_.remarks);
  }

  void read_task(json::element task, std::size_t i, const LabelStudioTasks& pictures) {
    const auto id = integer_at(task, "id");
    const auto data = value_at(task, "data");
    StatedPicture picture = pictures.picture_of(data.value_or(task));
    if (!data && id && is_further_annotation(*id, picture.names)) return;
    picture.where = path_ + ": task " + std::to_string(id.value_or(static_cast<std::int64_t>(i)));
    picture.normalised = true;
    if (data) {
      read_annotations_of(task, picture);
    } else {
      if (!picture.fault) picture.fault = pictures.fault_of_lists(task);
      read_short(task, picture);
    }
    pictures_.add(std::move(picture));
  }

  // JSON-MIN has an entry for each annotation of a task.
  bool is_further_annotation(std::int64_t id, const std::vector<std::string>& names) {
    const std::int64_t n = ++entries_[{id, names}];
    several_ += n == 2;
    return n > 1;
  }

  void read_annotations_of(json::element task, StatedPicture& picture) {
    std::int64_t n = 0;
    bool skipped = false;
    if (!picture.fault && !value_at(task, "annotations") && value_at(task, "completions"))
      picture.fault = Message{.what =
                                  "has `completions`, which Label Studio before 1.0 wrote and "
                                  "which are not read",
                              .fix = "export it from Label Studio 1.0 or later"};
    for (const json::element annotation : list_at_or_fault(task, "annotations", picture.fault)) {
      bool cancelled = false;
      if (const auto value = value_at(annotation, "was_cancelled"))
        cancelled = !value->get(cancelled) && cancelled;
      skipped = skipped || cancelled;
      if (cancelled || n++ > 0) continue;
      Regions regions;
      for (const json::element result : list_at_or_fault(annotation, "result", picture.fault)) {
        if (const auto value = value_at(result, "value")) regions.add(*value, result);
      }
      for (const Region& region : regions.all()) add(region, picture);
    }
    several_ += n > 1;
    picture.labelled = n > 0;
    picture.skipped = n == 0 && skipped;
  }

  // JSON-MIN: the results stand in lists beside the picture, with the annotation's own id.
  void read_short(json::element task, StatedPicture& picture) {
    json::object object;
    if (task.get(object)) return;
    picture.labelled = value_at(task, "annotation_id").has_value();
    Regions regions;
    for (const auto& [name, list] : object) {
      for (const json::element value : list_of(list)) {
        picture.labelled = true;
        regions.add(value, value);
      }
    }
    for (const Region& region : regions.all()) add(region, picture);
  }

  void add(const Region& region, StatedPicture& picture) {
    const auto& [value, sizes, labels] = region;
    const std::string label = labels_.first_of(labels);
    const double w = number_at(sizes, "original_width").value_or(1);
    const double h = number_at(sizes, "original_height").value_or(1);
    picture.width = size_at(sizes, "original_width");
    picture.height = size_at(sizes, "original_height");
    if (const auto turn = value_at(sizes, "image_rotation");
        turn && !picture.fault && number_of(*turn).value_or(0) != 0)
      picture.fault = turned_picture(written(*turn));
    LabelBox box;
    if (!read_box(value, w / kPercent, h / kPercent, box)) {
      const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
      picture.box_rejects.push_back({picture.where + ", result " + std::to_string(n),
                                     in_quotes(label) + " is not a rectangle, ellipse or polygon",
                                     "draw a rectangle around it", Reject::Scope::box});
      return;
    }
    box.x1 = static_cast<float>(box.x1 / w);
    box.x2 = static_cast<float>(box.x2 / w);
    box.y1 = static_cast<float>(box.y1 / h);
    box.y2 = static_cast<float>(box.y2 / h);
    picture.boxes.push_back({box, label});
  }

  // The shapes are those of the picture as it was turned in Label Studio.
  static Message turned_picture(const std::string& degrees) {
    return {.what = "is turned by " + degrees +
                    " degrees in Label Studio (image_rotation), which is not read",
            .fix = "turn the picture's file, and label it again"};
  }

  // In pixels, since only there a turn is one. Returns false when it is not an area.
  bool read_box(json::element value, double x_scale, double y_scale, LabelBox& box) {
    const auto at = [&](const char* key, double scale) {
      const auto number = number_at(value, key);
      return number ? std::optional(*number * scale) : std::nullopt;
    };
    const auto x = at("x", x_scale), y = at("y", y_scale);
    const double degrees = number_at(value, "rotation").value_or(0);
    const auto half_w = at("radiusX", x_scale), half_h = at("radiusY", y_scale);
    if (x && y && half_w && half_h) {
      ++around_.shapes;
      box = around_ellipse(*x, *y, *half_w, *half_h, degrees);
      return true;
    }
    const auto width = at("width", x_scale), height = at("height", y_scale);
    if (x && y && width && height) {
      around_.turned += degrees != 0;
      box = upright_around(box_at(*x, *y, *width, *height), degrees, *x, *y);
      return true;
    }
    BoxAround around;
    for (const json::element point : list_at(value, "points")) {
      const std::vector<json::element> pair = list_of(point);
      const auto px = pair.size() == 2 ? number_of(pair[0]) : std::nullopt;
      const auto py = pair.size() == 2 ? number_of(pair[1]) : std::nullopt;
      if (!px || !py) return false;
      around.add(*px * x_scale, *py * y_scale);
    }
    if (around.points() < 3) return false;
    ++around_.shapes;
    box = around.box();
    return true;
  }

  std::string path_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  AroundCounts around_;
  SeveralLabels labels_;
  std::int64_t several_ = 0;
  // Of tasks of JSON-MIN, by id and picture.
  std::map<std::pair<std::int64_t, std::vector<std::string>>, std::int64_t> entries_;
};

Recognition recognise_label_studio(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a JSON file"};
  const bool list = trim(input.head).starts_with('[');
  for (const char* key : {"\"original_width\"", "\"rectanglelabels\"", "\"polygonlabels\""}) {
    if (list && input.head.find(key) != std::string::npos)
      return {true, std::string("a JSON list with ") + key};
  }
  return {false, "not a JSON list with \"original_width\" or \"rectanglelabels\""};
}

void read_label_studio(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  LabelStudioReader(input, options, set).read(JsonFile(input.files, input.path).root());
}

}  // namespace

constinit const AnnotationFormat label_studio{
    "label-studio", "Label Studio: JSON or JSON-MIN; shapes by the box around them",
    recognise_label_studio, read_label_studio};

}  // namespace letterpress::annotations
