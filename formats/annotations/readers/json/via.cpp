// VGG Image Annotator: its JSON (regions by picture), its project, which holds the same, and its
// CSV of a region a row (gitlab.com/vgg/via, "Annotation Data Format", versions 1 and 2).
#include <algorithm>
#include <array>
#include <map>
#include <numbers>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/csv_records.h"
#include "formats/annotations/shared/format.h"
#include "formats/annotations/shared/json_file.h"
#include "formats/annotations/shared/several_labels.h"
#include "formats/annotations/shared/stated_pictures.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {
extern const AnnotationFormat via;
namespace {

constexpr const char* kShapes = "region_shape_attributes";
constexpr const char* kFileSize = "file_size";

// "cat", or of boxes to tick {"cat": true} those that are ticked.
std::vector<std::string> ticked(json::element value) {
  json::object boxes;
  std::vector<std::string> names;
  if (value.get(boxes)) {
    if (std::string text = text_of(value); !text.empty()) names.push_back(std::move(text));
    return names;
  }
  for (const auto& [name, tick] : boxes) {
    bool is_set = false;
    if (!tick.get(is_set) && is_set) names.emplace_back(name);
  }
  return names;
}

// The box of a shape; empty: it is not an area.
std::optional<LabelBox> box_of(json::element shape, const std::string& name) {
  const auto at = [&](const char* key) { return number_at(shape, key); };
  if (name == "rect") {
    const auto x = at("x"), y = at("y"), w = at("width"), h = at("height");
    if (!x || !y || !w || !h) return std::nullopt;
    return box_at(*x, *y, *w, *h);
  }
  if (name == "circle" || name == "ellipse") {
    const auto x = at("cx"), y = at("cy");
    const auto rx = name == "circle" ? at("r") : at("rx"), ry = name == "circle" ? rx : at("ry");
    if (!x || !y || !rx || !ry) return std::nullopt;
    return around_ellipse(*x, *y, *rx, *ry, at("theta").value_or(0) * 180 / std::numbers::pi);
  }
  if (name != "polygon") return std::nullopt;  // polylines have points, too
  const auto xs = list_at(shape, "all_points_x"), ys = list_at(shape, "all_points_y");
  if (xs.size() < 3 || xs.size() != ys.size()) return std::nullopt;
  BoxAround around;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const auto x = number_of(xs[i]), y = number_of(ys[i]);
    if (!x || !y) return std::nullopt;
    around.add(*x, *y);
  }
  return around.box();
}

class ViaReader {
 public:
  ViaReader(const Input& input, const AnnotationOptions& options, AnnotationSet& set)
      : path_(input.path.string()), set_(set), pictures_(input, options, set) {}

  void read_json(json::element root) {
    const auto of_project = value_at(root, "_via_img_metadata");
    json::object entries;
    if ((of_project ? *of_project : root).get(entries))
      fail("holds no pictures by their keys", "export it from VIA as JSON");
    for (const auto& [key, entry] : entries) {
      const auto size = value_at(entry, "size");
      StatedPicture& picture =
          picture_of(text_at(entry, "filename"), std::string(key), size ? written(*size) : "");
      const auto regions = value_at(entry, "regions");
      if (!object_or_fault(entry, "its entry", picture.fault)) continue;
      if (!regions) {
        if (!picture.fault)
          picture.fault = Message{.what = "has no `regions`, which VIA writes for each picture",
                                  .fix = "export it from VIA again"};
        continue;
      }
      for (const json::element region : regions_of(*regions, picture)) {
        add_region(picture, value_at(region, "shape_attributes"),
                   value_at(region, "region_attributes"));
      }
    }
  }

  void read_csv(const std::string& text) {
    CsvRecords records(text);
    std::map<std::string, std::size_t> columns;
    json::parser shapes, attributes;
    while (records.next()) {
      const CsvRecord& record = records.record();
      const std::vector<std::string>& fields = record.fields;
      if (columns.empty()) {
        columns = columns_of(fields);
        continue;
      }
      const std::string where = "line " + std::to_string(record.line);
      if (!record.fault.empty() || fields.size() != columns.size())
        fail(where + " is not a row of " + std::to_string(columns.size()) + " fields",
             "export the CSV again");
      const auto field = [&](const char* column) { return fields[columns.at(column)]; };
      StatedPicture& picture =
          picture_of(field("filename"), where, columns.contains(kFileSize) ? field(kFileSize) : "");
      if (field("region_count") == "0") continue;
      add_region(picture, parse_json(shapes, field(kShapes)),
                 parse_json(attributes, field("region_attributes")));
    }
  }

  void finish() {
    const std::string attribute = class_attribute();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      for (std::size_t k = 0; k < found_[i].boxes.size(); ++k) {
        const auto& values = values_[i][k];
        const auto value = values.find(attribute);
        if (value != values.end()) found_[i].boxes[k].class_name = labels_.first_of(value->second);
      }
      pictures_.add(std::move(found_[i]));
    }
    if (!attribute.empty())
      set_.remarks.push_back("the attribute " + in_quotes(attribute) + " is the class");
    labels_.add_to(set_.remarks);
    around_.add_to(set_.remarks);
    pictures_.finish();
  }

 private:
  using Values = std::map<std::string, std::vector<std::string>>;  // of one region's attributes

  std::map<std::string, std::size_t> columns_of(const std::vector<std::string>& header) const {
    std::map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < header.size(); ++i) columns.emplace(trim_mark(header[i]), i);
    for (const char* column : {"filename", "region_count", kShapes, "region_attributes"}) {
      if (!columns.contains(column))
        fail(std::string("its header lacks ") + column, "export the CSV again");
    }
    return columns;
  }

  static std::string trim_mark(const std::string& name) {
    return std::string(trim(name.starts_with('#') ? name.substr(1) : name));
  }

  // A list; in version 1 {"0": ..., "1": ...}.
  static std::vector<json::element> regions_of(json::element regions, StatedPicture& picture) {
    json::object numbered;
    if (regions.get(numbered)) return list_or_fault(regions, "regions", picture.fault);
    std::vector<json::element> list;
    for (const auto& [number, region] : numbered) list.push_back(region);
    return list;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    throw Error({.where = path_, .what = what, .fix = fix});
  }

  // VIA knows a picture by its name and its size: pictures of two folders may have one name.
  StatedPicture& picture_of(const std::string& name, const std::string& key,
                            const std::string& bytes) {
    const auto [place, is_new] = places_.emplace(name.empty() ? key : name, found_.size());
    if (is_new) {
      found_.push_back({.names = {place->first}, .where = path_ + ": " + printable(place->first)});
      values_.emplace_back();
      bytes_.push_back(bytes);
    }
    StatedPicture& picture = found_[place->second];
    const std::string& first = bytes_[place->second];
    if (!picture.fault && !bytes.empty() && !first.empty() && bytes != first) {
      picture.fault = Message{.what = "is the name of two pictures, of " + printable(first) +
                                      " and of " + printable(bytes) + " bytes",
                              .fix = "give each a name of its own, or a folder and a label file"};
    }
    return picture;
  }

  void add_region(StatedPicture& picture, const std::optional<json::element>& shape,
                  const std::optional<json::element>& attributes) {
    const std::string name = shape ? text_at(*shape, "name") : "";
    const std::optional<LabelBox> box = shape ? box_of(*shape, name) : std::nullopt;
    if (!box) {
      const auto n = picture.boxes.size() + picture.box_rejects.size() + 1;
      picture.box_rejects.push_back(
          {picture.where + ", region " + std::to_string(n),
           "is a " + printable(name.empty() ? "shape without a name" : name) + " without an area",
           "draw a rectangle around it", Reject::Scope::box});
      return;
    }
    around_.shapes += name != "rect";
    picture.boxes.push_back({.box = *box});
    Values values;
    json::object object;
    if (attributes && !attributes->get(object)) {
      for (const auto& [key, value] : object) {
        std::vector<std::string> names = ticked(value);
        if (!names.empty()) values.emplace(key, std::move(names));
      }
    }
    values_[places_.at(picture.names.front())].push_back(std::move(values));
  }

  // The one attribute that regions have, or of several the one that is called as classes are.
  std::string class_attribute() const {
    std::map<std::string, std::int64_t> names;
    for (const auto& picture : values_) {
      for (const Values& values : picture) {
        for (const auto& [name, value] : values) ++names[name];
      }
    }
    if (names.size() == 1) return names.begin()->first;
    std::string known, all;
    for (const auto& [name, n] : names) {
      constexpr std::array<std::string_view, 6> kNames{"class", "label",    "name",
                                                       "type",  "category", "object"};
      if (std::ranges::find(kNames, std::string_view(name)) != kNames.end()) {
        if (!known.empty()) fail("its regions have both " + known + " and " + name, "keep one");
        known = name;
      }
      all += (all.empty() ? "" : ", ") + printable(name);
    }
    if (known.empty() && !names.empty())
      fail("its regions have the attributes " + all + ", none of them called class or label",
           "rename the one that is the class to `class`");
    return known;
  }

  std::string path_;
  AnnotationSet& set_;
  StatedPictures pictures_;
  std::map<std::string, std::size_t> places_;
  std::vector<StatedPicture> found_;
  std::vector<std::string> bytes_;           // per picture, as written
  std::vector<std::vector<Values>> values_;  // per picture, per box
  SeveralLabels labels_;
  AroundCounts around_;
};

bool is_csv(std::string_view head) {
  const std::string_view line = take_until(head, '\n');
  return line.find(kShapes) != std::string_view::npos && line.find("filename") != line.npos;
}

Recognition recognise_via(const Input& input, const AnnotationOptions&) {
  if (input.is_folder) return {false, "a folder, must be a JSON or CSV file"};
  if (is_csv(input.head)) return {true, "a CSV with the column region_shape_attributes"};
  const bool fits = input.head.find("\"_via_img_metadata\"") != std::string::npos ||
                    (input.head.find("\"regions\"") != std::string::npos &&
                     input.head.find("\"filename\"") != std::string::npos);
  return {fits, fits ? "a JSON with \"filename\" and \"regions\""
                     : "neither a JSON with \"filename\" and \"regions\" nor VIA's CSV"};
}

void read_via(const Input& input, const AnnotationOptions& options, AnnotationSet& set) {
  ViaReader reader(input, options, set);
  if (is_csv(input.head)) {
    reader.read_csv(input.files.read_text(input.path));
  } else {
    reader.read_json(JsonFile(input.files, input.path).root());
  }
  reader.finish();
}

}  // namespace

constinit const AnnotationFormat via{
    "via", "VIA (VGG Image Annotator): its JSON, project or CSV; shapes by the box around them",
    recognise_via, read_via};

}  // namespace letterpress::annotations
