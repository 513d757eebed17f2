// Supervisely: meta.json above datasets of img/1.jpg and ann/1.jpg.json
// (docs.supervisely.com, "Supervisely annotation format: Images").
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"

namespace letterpress::annotations {
extern const AnnotationFormat supervisely;
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".json";

bool is_annotation(const std::string& file) {
  return fs::path(file).parent_path().filename() == "ann";
}

class SuperviselyReader {
 public:
  SuperviselyReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : input_(input), set_(set), pictures_(input, options, set) {}

  // file: below the input, "train/ann/1.jpg.json".
  void read_picture(const std::string& file) {
    const fs::path path = input_.folder() / file;
    const std::string name = path.filename().string();
    StatedPicture picture{.names = {"img/" + name.substr(0, name.size() - kExtension.size())},
                          .folder = path.parent_path().parent_path(),
                          .where = printable(path.string(), 1000)};
    const Expected<std::string> text = read_label_file(input_.files, path);
    const auto root = text ? parse_json(parser_, *text) : std::nullopt;
    if (!root) {
      picture.fault = Message{.what = text ? "is not whole JSON" : text.reject().what,
                              .fix = "export it again"};
      return pictures_.add(std::move(picture));
    }
    if (const auto size = value_at(*root, "size")) {
      picture.width = size_at(*size, "width");
      picture.height = size_at(*size, "height");
    }
    std::vector<std::string> tags;
    for (const json::element tag : list_at(*root, "tags")) tags.push_back(text_at(tag, "name"));
    picture.split_word = split_among(tags);
    if (const auto objects = value_at(*root, "objects")) {
      for (const json::element object : list_or_fault(*objects, "objects", picture.fault))
        add(object, picture);
    }
    pictures_.add(std::move(picture));
  }

  void finish() {
    around_.add_to(set_.remarks);
    pictures_.finish();
  }

 private:
  void add(json::element object, StatedPicture& picture) {
    const std::string type = text_at(object, "geometryType"), name = text_at(object, "classTitle");
    BoxAround around;
    if (const auto points = value_at(object, "points")) {
      for (const json::element point : list_at(*points, "exterior")) {
        const std::vector<json::element> pair = list_of(point);
        const auto x = pair.size() == 2 ? number_of(pair[0]) : std::nullopt;
        const auto y = pair.size() == 2 ? number_of(pair[1]) : std::nullopt;
        if (x && y) {
          around.add(*x, *y);
        } else if (!picture.fault) {
          picture.fault = Message{.what = in_quotes(name) + " has a point that is not two numbers",
                                  .fix = "correct or remove it"};
        }
      }
    }
    const bool rectangle = type == "rectangle";
    const bool has_area = rectangle || type == "polygon";  // lines have points, too
    if (has_area && around.points() >= (rectangle ? 2 : 3)) {
      around_.shapes += !rectangle;
      return picture.boxes.push_back({around.box(), name});
    }
    const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
    const std::string must = !has_area   ? ", must be a rectangle or a polygon"
                             : rectangle ? ", must have its two corners"
                                         : ", must have three points or more";
    picture.box_rejects.push_back(
        {picture.where + ", object " + std::to_string(n),
         in_quotes(name) + " is a " +
             printable(type.empty() ? "shape without geometryType" : type) +
             (has_area ? " of " + counted(around.points(), "point", "points") : "") + must,
         "draw a rectangle around it", Reject::Scope::box});
  }

  const Input& input_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  json::parser parser_;
  AroundCounts around_;
};

Recognition recognise_supervisely(const Input& input, const AnnotationOptions&) {
  if (!input.is_folder) return {false, "a file, must be a project's folder"};
  for (const std::string& file : input.files.files_below(input.path, kExtension)) {
    if (!is_annotation(file)) continue;
    const Expected<std::string> text = read_label_file(input.files, input.path / file);
    if (!text) continue;
    if (text->find("\"objects\"") == std::string::npos) break;
    return {.fits = true, .why = printable(file) + " has \"objects\"", .rivals = Rivals::all};
  }
  return {false, "a folder without ann/*.json that have \"objects\""};
}

void read_supervisely(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  SuperviselyReader reader(input, options, set);
  for (const std::string& file : input.files.files_below(input.path, kExtension, &set)) {
    if (is_annotation(file)) reader.read_picture(file);
  }
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat supervisely{
    "supervisely", "Supervisely: a project's folder, with ann/ beside img/; shapes by their box",
    recognise_supervisely, read_supervisely};

}  // namespace letterpress::annotations
