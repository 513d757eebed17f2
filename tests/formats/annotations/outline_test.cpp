// The outlines that labels give their boxes.
#include "formats/annotations/shared/outline.h"

#include <cmath>
#include <numbers>
#include <random>

#include "formats/annotations/shared/shapes.h"
#include "letterpress/base/convex_outline.h"
#include "polygon_files.h"

namespace letterpress {
namespace {

using annotations::Point;
using Outline = std::vector<OutlinePoint>;

constexpr std::uint16_t kAll = kWholeSide;
const LabelBox kBox{10, 20, 110, 60};  // 1 pixel across is 655.35, 1 down 1638.375

Outline outline_of(const std::vector<Point>& points, double slack = 0) {
  return annotations::outline_in(kBox, points, slack);
}

// On or left of each side, as far as corners were rounded.
bool holds(const ConvexOutline& outline, const Point& point, double tolerance) {
  const auto corners = outline.corners();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto& [ax, ay] = corners[i];
    const auto& [bx, by] = corners[(i + 1) % corners.size()];
    const double across =
        ((bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)) / std::hypot(bx - ax, by - ay);
    if (across < -tolerance) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("an outline is the convex hull in shares of the box, by hand") {
  // A notch, a point inside and one on an edge are not corners.
  CHECK(outline_of({{10, 20}, {60, 30}, {110, 20}, {60, 20}, {70, 60}, {50, 30}}) ==
        Outline{{0, 0}, {kAll, 0}, {39321, kAll}});
}

TEST_CASE("what says no more than the box is not an outline") {
  CHECK(outline_of({}).empty());
  CHECK(outline_of({{10, 20}, {110, 60}}).empty());
  CHECK(outline_of({{10, 20}, {60, 40}, {110, 60}}).empty());                           // a line
  CHECK(outline_of({{10, 20}, {110, 20}, {110, 60}, {10, 60}, {10, 20}}).empty());      // the box
  CHECK(annotations::outline_in({5, 5, 5, 9}, std::vector<Point>(3, {5, 5})).empty());  // no area
}

TEST_CASE(
    "an outline of another extent than the box's is left out: 5 % of the side and the slack") {
  const auto reaches = [](double right, double slack) {
    return !outline_of({{10, 20}, {right, 20}, {50, 60}}, slack).empty();
  };
  CHECK(reaches(105.1, 0));
  CHECK(!reaches(104.9, 0));
  CHECK(reaches(104.1, 1));
  CHECK(!reaches(103.9, 1));
  CHECK(reaches(115.9, 1));
  CHECK(!reaches(116.1, 1));
  // Its extent becomes the box's: 40 of 105.9 pixels.
  CHECK(outline_of({{10, 20}, {115.9, 20}, {50, 60}}, 1) ==
        Outline{{0, 0}, {kAll, 0}, {24754, kAll}});
}

TEST_CASE("of a circle of 500 points 32 are kept, and they reach where it reaches") {
  std::vector<Point> circle;
  for (int i = 0; i < 500; ++i) {
    const double angle = 2 * std::numbers::pi * i / 500;
    circle.push_back({60 + 50 * std::cos(angle), 40 + 20 * std::sin(angle)});
  }
  LabelBox box = kBox;
  box.outline = outline_of(circle);
  CHECK(box.outline.size() == kMaxOutlinePoints);
  const ConvexOutline outline(box);
  CHECK(outline.extent() == std::array<double, 4>{10, 20, 110, 60});
  // A regular polygon of 32 corners has 0.9936 of its circle's area.
  CHECK(outline.area() == doctest::Approx(0.9936 * std::numbers::pi * 50 * 20).epsilon(0.001));
}

TEST_CASE("outlines of random points hold them all, and are made of some") {
  std::mt19937 engine(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::uniform_real_distribution<double> x(0, 300), y(0, 200);
    std::vector<Point> points;
    LabelBox box{300, 200, 0, 0};
    for (int n = 3 + round % 40; n > 0; --n) {
      points.push_back({x(engine), y(engine)});
      const auto px = static_cast<float>(points.back()[0]),
                 py = static_cast<float>(points.back()[1]);
      box = {std::min(box.x1, px), std::min(box.y1, py), std::max(box.x2, px),
             std::max(box.y2, py)};
    }
    box.outline = annotations::outline_in(box, points);
    REQUIRE(box.outline.size() >= 3);
    const ConvexOutline outline(box);
    for (const Point& point : points) CHECK(holds(outline, point, 0.01));
    for (const Point& corner : outline.corners()) {
      CHECK(std::ranges::any_of(points, [&](const Point& point) {
        return std::hypot(point[0] - corner[0], point[1] - corner[1]) < 0.01;
      }));
    }
  }
}

// The triangle (10, 20), (40, 20), (16, 60) in a picture of 100 x 80.
TEST_CASE("each format that has polygons gives their outline") {
  const std::string coco =
      R"({"images":[{"id":7,"file_name":"a.jpg"}],"categories":[{"id":1,"name":"nut"}],)"
      R"("annotations":[{"image_id":7,"category_id":1,)";
  std::vector<PolygonFile> cases{
      {"boxes.json",
       coco + R"("segmentation":[[10,20,40,20,16,60]],"bbox":[10.4,20,29.6,39.5],"iscrowd":0}]})"},
      {"rings.json",
       coco +
           R"("bbox":[10,20,30,40],"segmentation":[[10,20,40,20,38,21],[12,30,16,60,20,22]]}]})"},
      // As supervision writes it: all counts from 1.
      {"voc/a.xml",
       "<annotation><filename>a.jpg</filename><object><name>nut</name><bndbox><xmin>11</xmin>"
       "<ymin>21</ymin><xmax>41</xmax><ymax>61</ymax></bndbox><polygon><x1>11</x1><y1>21</y1>"
       "<x2>41</x2><y2>21</y2><x3>17</x3><y3>61</y3></polygon></object></annotation>"}};
  for (const PolygonFile& one : polygon_files({10, 20, 40, 20, 16, 60})) cases.push_back(one);
  for (const PolygonFile& one : cases) {
    CAPTURE(one.file);
    const TempDir dir;
    const AnnotationSet set = one.read(dir);
    REQUIRE(set.items.size() == 1);
    const CheckedBoxes checked = check_boxes(set.items[0], 100, 80);
    REQUIRE(checked.boxes.size() == 1);
    // In boxes.json the bbox is rounded by less than a pixel; its outline reaches its sides.
    CHECK(checked.boxes[0].outline == Outline{{0, 0}, {kAll, 0}, {13107, kAll}});
  }
}

TEST_CASE("a polygon whose points are on a line is a rejected box in each format that has them") {
  for (const std::array<double, 6>& corners :
       {std::array<double, 6>{10, 20, 20, 30, 40, 50}, {10, 50, 40, 20, 33, 27}}) {
    for (const PolygonFile& one : polygon_files(corners)) {
      CAPTURE(one.file);
      const TempDir dir;
      const AnnotationSet set = one.read(dir);
      REQUIRE(set.items.size() == 1);
      const CheckedBoxes checked = check_boxes(set.items[0], 100, 80);
      CHECK(checked.boxes.empty());
      REQUIRE(checked.rejects.size() == 1);
      CHECK(checked.rejects[0].scope == Reject::Scope::box);
      CHECK_CONTAINS(to_string(checked.rejects[0]),
                     ", object 1: the polygon in box 10,20,40,50 has no area: its points are on a "
                     "line; draw it again or remove it");
    }
  }
}

TEST_CASE("what is next to a line, or a turned shape without a side, is told apart by its area") {
  using annotations::are_on_a_slope;
  // 1 pixel beside the line from corner to corner, which is 100 x 40.
  CHECK_FALSE(are_on_a_slope(std::vector<Point>{{10, 20}, {61, 40}, {110, 60}}));
  CHECK(are_on_a_slope(std::vector<Point>{{10, 20}, {60, 40}, {110, 60}}));
  CHECK(are_on_a_slope(std::vector<Point>{{110, 20}, {43.3333333, 46.6666667}, {10, 60}}));
  CHECK_FALSE(are_on_a_slope(std::vector<Point>{{10, 20}, {110, 60}}));  // a rectangle's corners
  const Item item{.where = "a",
                  .boxes = {annotations::upright_around({10, 20, 40, 20}, 45),
                            annotations::around_ellipse(50, 40, 0, 10, 45)}};
  const CheckedBoxes checked = check_boxes(item, 100, 80);
  CHECK(checked.boxes.empty());
  REQUIRE(checked.rejects.size() == 2);
  for (const Reject& reject : checked.rejects) CHECK_CONTAINS(reject.what, " has no area");
}

// 30 x 10, turned by 45 degrees, so that all corners are quarters of the box: by hand.
TEST_CASE("each format that turns boxes gives the turned one as outline") {
  struct Case {
    std::string file, text;
  };
  const std::vector<Case> cases{
      {"cvat.xml",
       "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><box label=\"nut\" "
       "xtl=\"35\" ytl=\"35\" xbr=\"65\" ybr=\"45\" rotation=\"45\"/></image></annotations>"},
      {"ls.json",
       R"([{"data":{"image":"a.jpg"},"annotations":[{"result":[{"original_width":100,"original_height":80,)"
       R"("value":{"x":50,"y":25,"width":30,"height":12.5,"rotation":45,"rectanglelabels":["nut"]}}]}]}])"},
      {"voc/a.xml",
       "<annotation><filename>a.jpg</filename><size><width>100</width><height>80</height></size>"
       "<object><name>nut</name><bndbox><xmin>36</xmin><ymin>36</ymin><xmax>65</xmax><ymax>45</"
       "ymax>"
       "</bndbox><attributes><attribute><name>rotation</name><value>45</value></attribute>"
       "</attributes></object></annotation>"},
      {"labels/a.txt", "0 0.2 0.25 0.5 0.625 0.4 0.75 0.1 0.375\n"}};
  for (const Case& one : cases) {
    CAPTURE(one.file);
    TempDir dir;
    write_pictures(dir, {"a.jpg", "voc/a.jpg", "images/a.jpg"});
    std::filesystem::path input = dir.write(one.file, one.text);
    if (one.file.starts_with("voc")) input = dir / "voc";
    if (one.file.starts_with("labels"))
      input = dir.write("data.yaml", "train: images\nnames: [nut]\n");
    const AnnotationSet set = read_annotations(input);
    REQUIRE(set.items.size() == 1);
    const CheckedBoxes checked = check_boxes(set.items[0], 100, 80);
    REQUIRE(checked.boxes.size() == 1);
    CHECK(checked.boxes[0].outline ==
          Outline{{0, 16384}, {16384, 0}, {kAll, 49151}, {49151, kAll}});
  }
}

TEST_CASE("masks, broken rings and numbers that are none leave a COCO box without outline") {
  for (const std::string rings :
       {R"({"counts":[4],"size":[2,2]})", "[]", "[[]]", "[[10,20,40,60]]", "[[10,20,40,20,16]]",
        "[[10,20,40,NaN,16,60]]", "[10,20,40,20,16,60]", "null", R"("x")",
        "[[10,20,40,20,16,30]]"}) {
    CAPTURE(rings);
    TempDir dir;
    write_pictures(dir, {"a.jpg"});
    const AnnotationSet set = read_annotations(dir.write(
        "coco.json",
        R"({"images":[{"id":7,"file_name":"a.jpg"}],"categories":[{"id":1,"name":"nut"}],)"
        R"("annotations":[{"image_id":7,"segmentation":)" +
            rings + R"(,"bbox":[10,20,30,40],"category_id":1}]})"));
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].boxes == std::vector<LabelBox>{{10, 20, 40, 60, 0}});
  }
}

TEST_CASE("an ellipse has 32 corners, all of them on it") {
  TempDir dir;
  write_pictures(dir, {"a.jpg"});
  const AnnotationSet set = read_annotations(
      dir.write("cvat.xml",
                "<annotations><image id=\"0\" name=\"a.jpg\" width=\"100\" height=\"80\"><ellipse "
                "label=\"nut\" cx=\"50\" cy=\"40\" rx=\"20\" ry=\"10\" rotation=\"30\"/></image>"
                "</annotations>"));
  REQUIRE(set.items.size() == 1);
  const ConvexOutline outline(set.items[0].boxes.at(0));
  CHECK(outline.corners().size() == kMaxOutlinePoints);
  for (const auto& [x, y] : outline.corners()) {
    const double c = std::sqrt(0.75), s = 0.5;
    const double along = ((x - 50) * c + (y - 40) * s) / 20,
                 off = ((y - 40) * c - (x - 50) * s) / 10;
    CHECK(std::hypot(along, off) == doctest::Approx(1).epsilon(1e-3));
  }
  const LabelBox& box = set.items[0].boxes[0];
  const auto [x1, y1, x2, y2] = outline.extent();
  CHECK(x1 == doctest::Approx(box.x1).epsilon(1e-4));
  CHECK(y1 == doctest::Approx(box.y1).epsilon(1e-4));
  CHECK(x2 == doctest::Approx(box.x2).epsilon(1e-4));
  CHECK(y2 == doctest::Approx(box.y2).epsilon(1e-4));
}

TEST_CASE("where the picture's edge cuts a box it cuts its outline") {
  Item item;
  item.boxes = {{-40, 0, 40, 40}};
  item.boxes[0].outline = {{0, 0}, {kAll, 0}, {0, kAll}};  // (-40, 0), (40, 0), (-40, 40)
  const CheckedBoxes checked = check_boxes(item, 100, 80);
  REQUIRE(checked.boxes.size() == 1);
  const LabelBox& box = checked.boxes[0];
  // Left: (0, 0), (40, 0), (0, 20), and the box around them.
  CHECK(box == LabelBox{.x1 = 0, .y1 = 0, .x2 = 40, .y2 = 20, .outline = box.outline});
  CHECK(box.outline == Outline{{0, 0}, {kAll, 0}, {0, kAll}});
  item.boxes[0].outline = {{0, 0}, {20000, 0}, {0, kAll}};  // wholly outside
  const CheckedBoxes none = check_boxes(item, 100, 80);
  CHECK(none.boxes.empty());
  REQUIRE(none.rejects.size() == 1);
  CHECK(none.rejects[0].what ==
        "the polygon in box -40,0,40,40 is wholly outside the 100x80 picture");
}

// As check_boxes_test turns its box; the outline's corners lie at the box's top left, top right and
// left, three quarters down.
TEST_CASE("an outline turns with its box for each EXIF orientation") {
  constexpr std::uint16_t kQuarter = 16383, kThree = kWholeSide - kQuarter;
  const std::vector<std::pair<std::int32_t, Outline>> cases{
      {5, {{0, 0}, {0, kAll}, {kThree, 0}}},
      {6, {{kAll, 0}, {kAll, kAll}, {kQuarter, 0}}},
      {7, {{kAll, kAll}, {kAll, 0}, {kQuarter, kAll}}},
      {8, {{0, kAll}, {0, 0}, {kThree, kAll}}}};
  const Outline upright{{0, 0}, {kAll, 0}, {0, kThree}};
  Item item;
  item.boxes = {{1, 2, 11, 6}};
  item.boxes[0].outline = upright;
  item.width = 40;
  item.height = 20;
  for (const auto& [orientation, expected] : cases) {
    CAPTURE(orientation);
    CHECK(check_boxes(item, 20, 40, orientation).boxes.at(0).outline == expected);
  }
  for (const std::int32_t orientation : {1, 2, 3, 4})
    CHECK(check_boxes(item, 40, 20, orientation).boxes.at(0).outline == upright);
}

}  // namespace letterpress
