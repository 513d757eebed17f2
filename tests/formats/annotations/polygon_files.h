#pragma once
// One polygon in a file of each format that has polygons.
#include <fmt/format.h>

#include <array>

#include "exports.h"

namespace letterpress {

struct PolygonFile {
  std::string file, text;

  /// Of a.jpg, 100 x 80, in `dir`.
  AnnotationSet read(const TempDir& dir) const {
    write_pictures(dir, {"a.jpg", "img/a.jpg", "images/a.jpg", "voc/a.jpg"});
    std::filesystem::path input = dir.write(file, text);
    AnnotationOptions options;
    if (file.starts_with("labelme")) input = dir / "labelme", options.allow_outside = true;
    if (file.starts_with("ann")) input = dir.path();
    if (file.starts_with("voc")) input = dir / "voc";
    if (file.starts_with("labels")) input = dir.write("data.yaml", "train: images\nnames: [nut]\n");
    return read_annotations(input, options);
  }
};

/// corners: x and y of three, in pixels.
inline std::vector<PolygonFile> polygon_files(const std::array<double, 6>& corners) {
  const auto text = [&](fmt::string_view format, double across = 1, double down = 1) {
    const auto& c = corners;
    return fmt::format(fmt::runtime(format), c[0] * across, c[1] * down, c[2] * across, c[3] * down,
                       c[4] * across, c[5] * down);
  };
  return {
      {"outlines.json",
       text(R"({{"images":[{{"id":7,"file_name":"a.jpg"}}],"categories":[{{"id":1,"name":"nut"}}],)"
            R"("annotations":[{{"image_id":7,"category_id":1,)"
            R"("segmentation":[[{},{},{},{},{},{}]]}}]}})")},
      {"cvat.xml",
       text("<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><polygon "
            "label=\"nut\" points=\"{},{};{},{};{},{}\"/></image></annotations>")},
      {"via.json",
       text(R"({{"a.jpg1":{{"filename":"a.jpg","regions":[{{"shape_attributes":{{)"
            R"("name":"polygon","all_points_x":[{0},{2},{4}],"all_points_y":[{1},{3},{5}]}},)"
            R"("region_attributes":{{"class":"nut"}}}}]}}}})")},
      {"ls.json",
       text(R"([{{"data":{{"image":"a.jpg"}},"annotations":[{{"result":[{{"original_width":100,)"
            R"("original_height":80,"value":{{"points":[[{},{}],[{},{}],[{},{}]],)"
            R"("polygonlabels":["nut"]}}}}]}}]}}])",
            1, 1.25)},
      {"export.ndjson",
       text(R"({{"data_row":{{"external_id":"a.jpg"}},"projects":{{"p":{{"labels":[{{)"
            R"("annotations":{{"objects":[{{"name":"nut","polygon":[{{"x":{},"y":{}}},)"
            R"({{"x":{},"y":{}}},{{"x":{},"y":{}}}]}}]}}}}]}}}}}})")},
      {"labelme/a.json",
       text(R"({{"imagePath":"../a.jpg","shapes":[{{"label":"nut","shape_type":"polygon",)"
            R"("points":[[{},{}],[{},{}],[{},{}]]}}]}})")},
      {"ann/a.jpg.json",
       text(R"({{"size":{{"width":100,"height":80}},"objects":[{{"classTitle":"nut",)"
            R"("geometryType":"polygon","points":{{"exterior":[[{},{}],[{},{}],[{},{}]],)"
            R"("interior":[]}}}}]}})")},
      {"samples.json",
       text(R"({{"samples":[{{"filepath":"a.jpg","ground_truth":{{"_cls":"Polylines","polylines":[)"
            R"({{"_cls":"Polyline","label":"nut","points":[[[{},{}],[{},{}],[{},{}]]],)"
            R"("closed":true,"filled":true}}]}}}}]}})",
            0.01, 0.0125)},
      {"labels/a.txt", text("0 {} {} {} {} {} {}\n", 0.01, 0.0125)}};
}

}  // namespace letterpress
