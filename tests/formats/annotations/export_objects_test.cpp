// Objects of exports that are not areas, and those that several shapes make.
#include "exports.h"

namespace letterpress {
namespace {

/// Checks that of `objects` objects in a file the first alone is a box, and why the others are not.
void check_first_is_box(const std::filesystem::path& input,
                        const std::vector<std::string>& faults) {
  const AnnotationSet set = read_annotations(input);
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.boxes_found == static_cast<std::int64_t>(faults.size()) + 1);
  CHECK(set.boxes_rejected == static_cast<std::int64_t>(faults.size()));
  REQUIRE(set.rejects.size() == faults.size());
  for (std::size_t i = 0; i < faults.size(); ++i) {
    CHECK(set.rejects[i].scope == Reject::Scope::box);
    CHECK_CONTAINS(to_string(set.rejects[i]), faults[i] + "; draw a");
  }
}

}  // namespace

TEST_CASE("lines and points are not boxes, however many points they have") {
  TempDir dir;
  write_pictures(dir, {"a.jpg", "s/img/a.jpg"});
  const std::string points = "points=\"1,2;9,2;5,7\"";
  check_first_is_box(
      dir.write("annotations.xml",
                "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><polygon "
                "label=\"nut\" " +
                    points + "/><polyline label=\"lane\" " + points + "/><points label=\"key\" " +
                    points + "/></image></annotations>"),
      {"object 2: 'lane' is a polyline without an area",
       "object 3: 'key' is of points without an area"});
  const auto region = [](const std::string& name) {
    return R"({"shape_attributes":{"name":")" + name +
           R"(","all_points_x":[1,9,5],"all_points_y":[2,2,7]},"region_attributes":{"class":"nut"}})";
  };
  check_first_is_box(
      dir.write("via.json", R"({"a.jpg1":{"filename":"a.jpg","size":1,"regions":[)" +
                                region("polygon") + "," + region("polyline") + "," +
                                region("point") + "]}}"),
      {"region 2: is a polyline without an area", "region 3: is a point without an area"});
  const auto object = [](const std::string& type) {
    return R"({"classTitle":"nut","geometryType":")" + type +
           R"(","points":{"exterior":[[1,2],[9,2],[5,7]],"interior":[]}})";
  };
  dir.write("s/ann/a.jpg.json", R"({"size":{"width":100,"height":80},"objects":[)" +
                                    object("polygon") + "," + object("line") + "," +
                                    object("point") + "," + object("") + "]}");
  check_first_is_box(
      dir / "s",
      {"object 2: 'nut' is a line, must be a rectangle or a polygon",
       "object 3: 'nut' is a point, must be a rectangle or a polygon",
       "object 4: 'nut' is a shape without geometryType, must be a rectangle or a polygon"});
}

TEST_CASE("Label Studio's key points, brushes, vectors and bitmasks are not boxes") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const auto result = [](const std::string& value) {
    return R"({"original_width":100,"original_height":80,"value":{)" + value + "}}";
  };
  check_first_is_box(
      dir.write("ls.json",
                R"([{"id":7,"data":{"image":"a.jpg"},"annotations":[{"result":[)" +
                    result(R"("x":1,"y":2,"width":30,"height":50,"rectanglelabels":["nut"])") +
                    "," + result(R"("x":1,"y":2,"width":0.4,"keypointlabels":["key"])") + "," +
                    result(R"("format":"rle","rle":[1,2],"brushlabels":["brush"])") + "," +
                    result(R"("vertices":[{"x":1,"y":2}],"vectorlabels":["way"])") + "," +
                    result(R"("imageDataURL":"","bitmasklabels":["mask"])") + "]}]}]"),
      {"result 2: 'key' is not a rectangle, ellipse or polygon",
       "result 3: 'brush' is not a rectangle, ellipse or polygon",
       "result 4: 'way' is not a rectangle, ellipse or polygon",
       "result 5: 'mask' is not a rectangle, ellipse or polygon"});
}

TEST_CASE("Labelbox's lines, points and masks are not boxes") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const std::string three = R"([{"x":1,"y":2},{"x":9,"y":2},{"x":5,"y":7}])";
  check_first_is_box(
      dir.write(
          "export.ndjson",
          R"({"data_row":{"external_id":"a.jpg"},"projects":{"p":{"labels":[{"annotations":)"
          R"({"objects":[{"name":"nut","polygon":)" +
              three + R"(},{"name":"lane","line":)" + three +
              R"(},{"name":"key","point":{"x":1,"y":2}},{"name":"m","mask":{"url":""}}]}}]}}})"),
      {"object 2: 'lane' is neither a bounding box nor a polygon",
       "object 3: 'key' is neither a bounding box nor a polygon",
       "object 4: 'm' is neither a bounding box nor a polygon"});
}

// The objects and their extents are those that LabelMe 6.3.1's shapes_to_label() draws of this
// file: one for each label and group, and one for each shape without a group.
TEST_CASE("LabelMe's shapes of one label and one group_id are one object") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const auto shape = [](const std::string& label, const std::string& group, const std::string& type,
                        const std::string& points) {
    return R"({"label":")" + label + R"(","group_id":)" + group + R"(,"shape_type":")" + type +
           R"(","points":)" + points + "},";
  };
  const std::string shapes = shape("cat", "1", "polygon", "[[2,3],[10,3],[2,11]]") +
                             shape("cat", "1", "polygon", "[[30,20],[40,20],[40,28]]") +
                             shape("cat", "2", "polygon", "[[12,30],[20,30],[20,38]]") +
                             shape("dog", "1", "polygon", "[[50,30],[58,30],[58,38]]") +
                             shape("cat", "null", "polygon", "[[50,2],[58,2],[58,10]]") +
                             shape("cat", "null", "polygon", "[[30,2],[38,2],[38,10]]") +
                             shape("dog", "7", "rectangle", "[[2,40],[10,46]]") +
                             shape("dog", "7", "rectangle", "[[14,38],[22,44]]") +
                             shape("cat", "1", "line", "[[0,0],[60,40]]");
  const AnnotationSet set = read_annotations(dir.write(
      "1.json", R"({"imagePath":"1.jpg","shapes":[)" + shapes.substr(0, shapes.size() - 1) + "]}"));
  check_pictures(set, dir,
                 {{"1.jpg",
                   {{"cat", 2, 3, 40, 28},
                    {"cat", 12, 30, 20, 38},
                    {"dog", 50, 30, 58, 38},
                    {"cat", 50, 2, 58, 10},
                    {"cat", 30, 2, 38, 10},
                    {"dog", 2, 38, 22, 46}}}},
                 64, 48);
  CHECK_CONTAINS(only_reject(set), "1.json, object 9: 'cat' is a line");
  CHECK_CONTAINS(remarks_of(set),
                 "2 objects of several shapes with one group_id are read as one box each\n");
  CHECK_CONTAINS(remarks_of(set), "5 outlines are read as the upright box around it\n");
  // The hull of the five corners (2, 3), (10, 3), (2, 11), (40, 20), (40, 28) in its box: (30, 20)
  // is within.
  CHECK(set.items[0].boxes[0].outline ==
        std::vector<OutlinePoint>{
            {0, 0}, {13797, 0}, {kWholeSide, 44564}, {kWholeSide, kWholeSide}, {0, 20971}});
}

}  // namespace letterpress
