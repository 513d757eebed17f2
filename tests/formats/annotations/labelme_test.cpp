#include "samples.h"

namespace letterpress {
namespace {

std::string shape(const std::string& label, const std::string& type, const std::string& points) {
  return R"({"label":")" + label + R"(","shape_type":")" + type +
         R"(","group_id":null,"flags":{},"points":)" + points + "}";
}
std::string file(const std::string& shapes, const std::string& image_path = "1.jpg") {
  return R"({"version":"5.4.1","flags":{},"shapes":[)" + shapes + R"(],"imagePath":")" +
         image_path + R"(","imageData":"aGVsbG8=","imageHeight":48,"imageWidth":64})";
}
AnnotationSet read_one(const TempDir& dir, const std::string& text,
                       const AnnotationOptions& options = {.format = "labelme"}) {
  write_pictures(dir, {"set/1.jpg"});
  dir.write("set/1.json", text);
  return read_annotations(dir / "set", options);
}

const std::string kCat = shape("cat", "rectangle", "[[10,20.5],[30,40]]");

}  // namespace

TEST_CASE("classification flags that are set are said") {
  TempDir dir;
  write_pictures(dir, {"1.jpg"});
  const auto flagged = [](const std::string& flags) {
    return R"({"flags":)" + flags + R"(,"shapes":[],"imagePath":"1.jpg"})";
  };
  dir.write("a.json", flagged(R"({"blurry":false,"night":true,"rain":true})"));
  dir.write("b.json", flagged(R"({"night":false})"));
  CHECK(read_annotations(dir.path(), {.format = "labelme"}).remarks ==
        std::vector<std::string>{"1 picture has classification flags, the first 'night', which are "
                                 "not read; shapes are"});
}

TEST_CASE(
    "rectangles from any corner and polygons by their bounding box, embedded pictures are "
    "ignored") {
  TempDir dir;
  const std::string shapes = kCat + "," + shape("dog", "rectangle", "[[30,40],[10,20.5]]") + "," +
                             shape("ant", "polygon", "[[5,5],[9,2],[7.5,11]]");
  const AnnotationSet set = read_one(dir, file(shapes), {});
  CHECK(set.format == "labelme");
  CHECK(set.recognised_by == "1.json has \"shapes\" and \"imagePath\"");
  CHECK(set.classes == std::vector<std::string>{"ant", "cat", "dog"});
  REQUIRE(set.items.size() == 1);
  std::vector<LabelBox> expected{{10, 20.5F, 30, 40, 1}, {10, 20.5F, 30, 40, 2}, {5, 2, 9, 11, 0}};
  expected[2].outline = {{0, 21845}, {kWholeSide, 0}, {40959, kWholeSide}};
  CHECK(set.items[0].boxes == expected);
  CHECK(set.items[0].width == 64);
  CHECK(set.items[0].height == 48);
  CHECK(set.boxes_found == 3);
}

TEST_CASE(
    "imagePath starts from the JSON's folder and may have backslashes; one JSON alone can be "
    "named") {
  TempDir dir;
  write_pictures(dir, {"pictures/a b.jpg"});
  const std::filesystem::path path =
      dir.write("labels/a.json", file(kCat, R"(..\\pictures\\a b.jpg)"));
  const AnnotationSet set = read_annotations(path, {.roots = {dir.path()}});
  REQUIRE(set.items.size() == 1);
  CHECK(set.items[0].path == std::filesystem::canonical(dir / "pictures/a b.jpg"));
  CHECK(set.items[0].name == "../pictures/a b.jpg");
}

TEST_CASE("a store within the folder of the labels is none of them") {
  TempDir dir;
  dir.write("set/a store/FORMAT", "letterpress store 1\n");
  dir.write("set/a store/snapshots/00000001.json", "{}");
  std::filesystem::create_directory(dir / "set/a store/shards");
  const AnnotationSet set = read_one(dir, file(kCat), {});
  CHECK(set.recognised_by == "1.json has \"shapes\" and \"imagePath\"");
  CHECK(set.items.size() == 1);
  CHECK(set.rejects.empty());
}

TEST_CASE("other shapes are rejected by name and the picture's boxes stay") {
  TempDir dir;
  const AnnotationSet set =
      read_one(dir, file(shape("hole", "line", "[[5,5],[9,9]]") + "," + kCat));
  CHECK(set.items[0].boxes.size() == 1);
  CHECK(set.boxes_found == 2);
  CHECK(set.boxes_rejected == 1);
  CHECK(set.rejects.at(0).scope == Reject::Scope::box);
  CHECK_CONTAINS(
      only_reject(set),
      "1.json, object 1: 'hole' is a line, must be a rectangle, a circle, a polygon or a mask; "
      "draw a rectangle around it");
  CHECK_CONTAINS(only_reject(read_one(dir, file(shape("holes", "points", "[[5,5],[9,9]]")))),
                 "object 1: 'holes' is of points, must be a rectangle");
}

// LabelMe's circle: its centre and a point of its edge, here 3-4-5 away.
TEST_CASE("circles are read by the box around them, and outlines are counted") {
  TempDir dir;
  const AnnotationSet set =
      read_one(dir, file(shape("hole", "circle", "[[20,30],[23,34]]") + "," + kCat + "," +
                         shape("ant", "polygon", "[[5,5],[9,2],[7.5,11]]")));
  REQUIRE(set.items.size() == 1);
  LabelBox circle = set.items[0].boxes.at(0);
  CHECK(circle.outline.size() == kMaxOutlinePoints);
  circle.outline.clear();
  CHECK(circle == LabelBox{15, 25, 25, 35, 2});
  CHECK(set.remarks ==
        std::vector<std::string>{"2 outlines are read as the upright box around it"});
}

// Of LabelMe 6.3.1's own shapes_to_label: a mask from (10, 10) to (30, 20) marks 21 x 11 pixels.
TEST_CASE("a mask is read by its first and last pixel, a turned rectangle by its corners") {
  TempDir dir;
  const std::string corners = "[[20,10],[26,18],[18,24],[12,16]]";
  const AnnotationSet set =
      read_one(dir, file(shape("mask", "mask", "[[10.0,10.0],[30.0,20.0]]") + "," +
                         shape("turned", "oriented_rectangle", corners) + "," +
                         shape("turned", "rotation", corners)));
  REQUIRE(set.items.size() == 1);
  const std::vector<LabelBox>& boxes = set.items[0].boxes;
  REQUIRE(boxes.size() == 3);
  CHECK(boxes[0] == LabelBox{10, 10, 31, 21, 0});
  for (LabelBox turned : {boxes[1], boxes[2]}) {
    CHECK(turned.outline.size() == 4);
    turned.outline.clear();
    CHECK(turned == LabelBox{12, 10, 26, 24, 1});
  }
}

TEST_CASE("a bad file rejects its picture with the object, what was got and a remedy") {
  TempDir dir;
  struct Case {
    std::string text, what;
  };
  const std::vector<Case> cases{
      {file(kCat + "," + shape("cat", "rectangle", R"([[1,"x"],[3,4]])")),
       "object 2: a point holds what is not a number"},
      {file(shape("cat", "rectangle", "[[1,2],[3,1e30]]")), "object 1: a point holds "},
      {file(shape("cat", "rectangle", "[[1,2,3],[3,4]]")),
       "object 1: a point holds 3 numbers, must be x, y"},
      {file(shape("cat", "rectangle", "[[1,2]]")), "object 1: a rectangle of 1 point, must be 2"},
      {file(shape("cat", "polygon", "[[1,2],[3,4]]")),
       "object 1: a polygon of 2 points, must be 3 or more"},
      {file(shape("cat", "circle", "[[1,2],[3,4],[5,6]]")),
       "object 1: a circle of 3 points, must be 2"},
      {file(shape("", "polygon", "[[1,2],[3,4],[5,6]]")), "object 1: has no label"},
      {file("7"), "object 1: is not a JSON object"},
      {file(kCat, ""), "has no imagePath, so its picture is unknown"},
      {R"({"imagePath":"1.jpg"})", "holds no list `shapes`; is it a LabelMe file?"},
      {file(shape("cat", "rectangle", "[[1,2],[NaN,4]]")), ""},
      {file(kCat).substr(0, 60), "is not whole JSON: byte "},
      {file(kCat, "none.jpg"), "there is no picture 'none.jpg', tried "},
      {file(kCat, "/etc/passwd"), "outside the dataset's folder"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const AnnotationSet set = read_one(dir, c.text);
    CHECK(set.items.empty());
    const std::string reject = only_reject(set);
    CHECK_CONTAINS(reject, "1.json: ");
    CHECK_CONTAINS(reject, c.what);
    CHECK(!set.rejects[0].fix.empty());
    CHECK(set.boxes_found == set.boxes_rejected);
  }
}

TEST_CASE(
    "--classes gives the order, a label that it lacks rejects the picture; too many shapes too") {
  TempDir dir;
  const std::filesystem::path classes = dir.write("classes.txt", "dog\ncat\n");
  CHECK(read_one(dir, file(kCat), {.classes = classes}).items[0].boxes.at(0).class_id == 1);
  const AnnotationSet set =
      read_one(dir, file(shape("cow", "rectangle", "[[1,2],[3,4]]")), {.classes = classes});
  CHECK_CONTAINS(only_reject(set), "unknown class 'cow'");
  CHECK(set.boxes_rejected == 1);
  const AnnotationSet many =
      read_one(dir, file(kCat + "," + kCat), {.format = "labelme", .max_boxes = 1});
  CHECK_CONTAINS(only_reject(many), "holds 2 boxes, at most 1 are allowed");
}

}  // namespace letterpress
