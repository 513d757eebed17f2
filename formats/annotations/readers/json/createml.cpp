// CreateML: a list of pictures with boxes by centre and size, in pixels
// (developer.apple.com/documentation/createml/building-an-object-detector-data-source).
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/stated_pictures.h"

namespace letterpress::annotations {
extern const AnnotationFormat createml;
namespace {

void add_box(json::element object, StatedPicture& picture) {
  const auto place = value_at(object, "coordinates");
  const auto at = [&](const char* key) { return place ? number_at(*place, key) : std::nullopt; };
  const auto x = at("x"), y = at("y"), w = at("width"), h = at("height");
  if (!x || !y || !w || !h) {
    picture.fault =
        Message{.what = "an annotation lacks one of the coordinates x, y, width, height",
                .fix = "correct or remove it"};
  }
  const double width = w.value_or(0), height = h.value_or(0);
  const LabelBox box = box_at(x.value_or(0) - width / 2, y.value_or(0) - height / 2, width, height);
  picture.boxes.push_back({box, text_at(object, "label")});
}

Recognition recognise_createml(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a JSON file"};
  const bool fits = trim(input.head).starts_with('[') &&
                    input.head.find("\"coordinates\"") != std::string::npos &&
                    input.head.find("\"image") != std::string::npos;
  return {fits, fits ? "a JSON list with \"image\" and \"coordinates\""
                     : "not a JSON list with \"image\" and \"coordinates\""};
}

void read_createml(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  const JsonFile file(input.files, input.path);
  const std::vector<json::element> entries = list_of(file.root());
  StatedPictures pictures(input, options, set);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    StatedPicture picture{.where = input.path.string() + ": picture " + std::to_string(i + 1)};
    for (const char* key : {"image", "imagefilename"}) {
      std::string name = text_at(entries[i], key);
      if (!name.empty()) picture.names = {std::move(name)};
    }
    if (picture.names.empty())
      picture.fault = Message{.what = "has no \"image\"", .fix = "name its picture"};
    for (const char* key : {"annotations", "annotation"}) {
      const auto objects = value_at(entries[i], key);
      if (!objects) continue;
      for (const json::element object : list_or_fault(*objects, key, picture.fault))
        add_box(object, picture);
    }
    pictures.add(std::move(picture));
  }
  pictures.finish();
}

}  // namespace

constinit const AnnotationFormat createml{"createml", "Apple's CreateML: a JSON list of pictures",
                                          recognise_createml, read_createml};

}  // namespace letterpress::annotations
