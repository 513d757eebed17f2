// Labelbox: an export of a data row a line, NDJSON
// (docs.labelbox.com/reference/export-image-annotations).
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"

namespace letterpress::annotations {
extern const AnnotationFormat labelbox;
namespace {

class LabelboxReader {
 public:
  LabelboxReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()), set_(set), pictures_(input, options, set) {}

  void read_row(std::string_view line, std::int64_t number) {
    StatedPicture picture{.where = path_ + ":" + std::to_string(number)};
    const auto row = parse_json(parser_, line);
    const auto data = row ? value_at(*row, "data_row") : std::nullopt;
    if (!data) {
      picture.fault = Message{.what = "is not a data row in JSON", .fix = "export it again"};
      return pictures_.add(std::move(picture));
    }
    for (const char* key : {"external_id", "global_key", "row_data"}) {
      std::string name = text_at(*data, key);
      if (!name.empty()) picture.names.push_back(std::move(name));
    }
    if (picture.names.empty())
      picture.fault =
          Message{.what = "has no external_id", .fix = "export it with data row details"};
    if (const auto media = value_at(*row, "media_attributes")) {
      picture.width = size_at(*media, "width");
      picture.height = size_at(*media, "height");
    }
    for (const json::element field : list_at(*row, "metadata_fields")) {
      if (text_at(field, "schema_name") == "split") picture.split_word = word_of(field);
    }
    picture.labelled = false;
    if (const auto value = value_unless_null(*row, "projects")) {
      const auto projects = object_or_fault(*value, "projects", picture.fault);
      if (projects) read_projects(*projects, picture);
    }
    pictures_.add(std::move(picture));
  }

  void finish() {
    if (several_ > 0)
      set_.remarks.push_back(counted(several_, "data row has", "data rows have") +
                             " several labels, of which the first is read");
    around_.add_to(set_.remarks);
    pictures_.finish();
  }

 private:
  // {"value": "train"}, or of a list to choose from {"value": [{"schema_name": "train"}]}.
  static std::string word_of(json::element field) {
    const std::vector<json::element> chosen = list_at(field, "value");
    return chosen.empty() ? text_at(field, "value") : text_at(chosen.front(), "schema_name");
  }

  // A data row may be in several projects, each with labels of its own kind.
  void read_projects(const json::object& projects, StatedPicture& picture) {
    std::string names;
    std::int64_t labelled = 0;
    for (const auto& [id, project] : projects) {
      const std::vector<json::element> labels = list_at_or_fault(project, "labels", picture.fault);
      if (labels.empty()) continue;
      const std::string name = text_at(project, "name");
      names += (++labelled > 1 ? ", " : "") + in_quotes(name.empty() ? std::string(id) : name);
      read_labels(labels, picture);
    }
    picture.labelled = labelled > 0;
    if (labelled > 1 && !picture.fault)
      picture.fault =
          Message{.what = "has labels of several projects, " + names, .fix = "export one project"};
  }

  void read_labels(const std::vector<json::element>& labels, StatedPicture& picture) {
    several_ += labels.size() > 1;
    const auto annotations = value_unless_null(labels.front(), "annotations");
    if (!annotations || !object_or_fault(*annotations, "annotations", picture.fault)) return;
    for (const json::element object : list_at_or_fault(*annotations, "objects", picture.fault))
      add(object, picture);
  }

  void add(json::element object, StatedPicture& picture) {
    const std::string name = text_at(object, "name");
    if (const auto box = value_at(object, "bounding_box")) {
      const auto x = number_at(*box, "left"), y = number_at(*box, "top");
      const auto w = number_at(*box, "width"), h = number_at(*box, "height");
      if (x && y && w && h) return picture.boxes.push_back({box_at(*x, *y, *w, *h), name});
      if (!picture.fault)
        picture.fault = Message{.what = "the bounding box of " + in_quotes(name) +
                                        " lacks one of the numbers left, top, width, height",
                                .fix = "correct or remove it"};
      return picture.boxes.push_back({{}, name});
    }
    BoxAround around;
    bool whole = true;
    for (const json::element point : list_at(object, "polygon")) {
      const auto x = number_at(point, "x"), y = number_at(point, "y");
      whole = whole && x && y;
      if (x && y) around.add(*x, *y);
    }
    if (!whole && !picture.fault)
      picture.fault = Message{
          .what = "the polygon of " + in_quotes(name) + " has a point without the numbers x, y",
          .fix = "correct or remove it"};
    if (around.points() < 3) {
      return refuse(picture, in_quotes(name) + " is neither a bounding box nor a polygon",
                    "draw a box around it");
    }
    ++around_.shapes;
    picture.boxes.push_back({around.box(), name});
  }

  static void refuse(StatedPicture& picture, const std::string& what, const std::string& fix) {
    const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
    picture.box_rejects.push_back(
        {picture.where + ", object " + std::to_string(n), what, fix, Reject::Scope::box});
  }

  std::string path_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  json::parser parser_;
  AroundCounts around_;
  std::int64_t several_ = 0;
};

Recognition recognise_labelbox(const Input& input, const AnnotationOptions&) {
  const bool fits = !input.is_folder && trim(input.head).starts_with('{') &&
                    input.head.find("\"data_row\"") != std::string::npos &&
                    input.head.find("\"projects\"") != std::string::npos;
  return {fits, fits ? "lines of JSON with \"data_row\" and \"projects\""
                     : "not lines of JSON with \"data_row\" and \"projects\""};
}

void read_labelbox(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const std::string text = input.files.read_text(input.path);
  LabelboxReader reader(input, options, set);
  for (Lines lines(text); lines.next();) reader.read_row(lines.text(), lines.number());
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat labelbox{
    "labelbox", "Labelbox: an NDJSON export; polygons by the box around them", recognise_labelbox,
    read_labelbox};

}  // namespace letterpress::annotations
