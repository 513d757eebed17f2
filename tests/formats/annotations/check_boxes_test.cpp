#include <cmath>
#include <limits>

#include "samples.h"

namespace letterpress {
namespace {

Item item_of(std::vector<LabelBox> boxes, bool normalised = false) {
  return {.where = "train.txt:3", .boxes = std::move(boxes), .normalised = normalised};
}

}  // namespace

TEST_CASE("good boxes pass as they are, with class, flags and area") {
  const std::vector<LabelBox> boxes{{0, 0, 100, 50, 2, kDifficult, 77}, {10.5f, 3, 11, 3.5f, 0}};
  const CheckedBoxes checked = check_boxes(item_of(boxes), 100, 50);
  CHECK(checked.boxes == boxes);
  CHECK(checked.rejects.empty());
  CHECK(checked.clipped == 0);
}

TEST_CASE(
    "boxes without area, inverted, outside or not finite are rejected alone, by their number in "
    "the file") {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<LabelBox, std::string>> cases{
      {{5, 5, 5, 9}, "box 5,5,5,9 has no area; draw it again or remove it"},
      {{5, 5, 9, 5}, "box 5,5,9,5 has no area; draw it again or remove it"},
      {{9, 5, 5, 9},
       "box 9,5,5,9 is inverted (x1 must be < x2, y1 < y2); swap its corners or remove it"},
      {{5, 9, 9, 5}, "box 5,9,9,5 is inverted"},
      {{-9, 5, 0, 9},
       "box -9,5,0,9 is wholly outside the 100x50 picture; correct or remove it, or check that "
       "the labels belong to this picture"},
      {{100, 5, 110, 9}, "box 100,5,110,9 is wholly outside the 100x50 picture"},
      {{5, 50, 9, 60}, "box 5,50,9,60 is wholly outside"},
      {{5, -5, 9, 0}, "box 5,-5,9,0 is wholly outside"},
      {{nan, 5, 9, 9}, "is not finite; correct or remove it"},
      {{5, 5, inf, 9}, "is not finite; correct or remove it"},
  };
  for (const auto& [box, message] : cases) {
    CAPTURE(message);
    const CheckedBoxes checked = check_boxes(item_of({{1, 1, 2, 2}, box, {3, 3, 4, 4}}), 100, 50);
    CHECK(checked.boxes.size() == 2);
    REQUIRE(checked.rejects.size() == 1);
    CHECK(checked.rejects[0].scope == Reject::Scope::box);
    CHECK_CONTAINS(to_string(checked.rejects[0]), "train.txt:3, object 2: ");
    CHECK_CONTAINS(to_string(checked.rejects[0]), message);
  }
}

TEST_CASE("overhang up to 1 pixel or 0.5 % of the side is clipped in silence, more is counted") {
  struct Case {
    LabelBox box;
    std::int32_t width, height;
    int clipped;
  };
  const std::vector<Case> cases{
      {{-1, -1, 101, 51}, 100, 50, 0},         {{-1.25f, 0, 100, 50}, 100, 50, 1},
      {{0, 0, 100, 51.5f}, 100, 50, 1},        {{-5, 0, 1005, 500}, 1000, 500, 0},
      {{0, 0, 1005.0625f, 500}, 1000, 500, 1}, {{0, -2.5f, 1000, 500}, 1000, 500, 0},
      {{0, -2.75f, 1000, 500}, 1000, 500, 1},  {{-9, -9, 9000, 9000}, 1000, 500, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.box.x1);
    CAPTURE(c.box.x2);
    const CheckedBoxes checked = check_boxes(item_of({c.box}), c.width, c.height);
    REQUIRE(checked.boxes.size() == 1);
    CHECK(checked.boxes[0] == LabelBox{.x1 = 0,
                                       .y1 = 0,
                                       .x2 = static_cast<float>(c.width),
                                       .y2 = static_cast<float>(c.height)});
    CHECK(checked.clipped == c.clipped);
  }
}

TEST_CASE("normalised boxes come out in pixels") {
  const CheckedBoxes checked = check_boxes(item_of({{0.25f, 0.5f, 0.75f, 1, 3}}, true), 640, 480);
  CHECK(checked.boxes == std::vector<LabelBox>{{160, 240, 480, 480, 3}});
}

TEST_CASE("pixels in a normalised set are asked about") {
  const CheckedBoxes checked = check_boxes(item_of({{100, 100, 200, 200}}, true), 640, 480);
  REQUIRE(checked.rejects.size() == 1);
  CHECK_CONTAINS(to_string(checked.rejects[0]),
                 "is wholly outside the 640x480 picture, it is outside 0..1; are these pixels? "
                 "divide by the image size");
}

TEST_CASE("a normalised box too thin for a pixel coordinate has no area") {
  const CheckedBoxes checked = check_boxes(
      item_of({{0.5f, 0.1f, std::nextafter(0.5f, 1.0f), 0.2f}, {0.5f, 0.1f, 0.5f, 0.2f}}, true), 3,
      3);
  CHECK(checked.boxes.size() + checked.rejects.size() == 2);
  for (const LabelBox& box : checked.boxes) CHECK(box.x1 < box.x2);
}

// The stored picture is 40 wide and 20 high; the box's corner nearest to its top left pixel is at
// (1, 2). Expected values by turning a drawing on paper: orientation 6 shows the stored left side
// at the top, the stored bottom at the left.
TEST_CASE("boxes labelled in the unrotated frame turn with the picture") {
  const std::vector<std::pair<std::int32_t, LabelBox>> cases{
      {5, {2, 1, 6, 11}},     // mirrored along the main diagonal
      {6, {14, 1, 18, 11}},   // a quarter clockwise
      {7, {14, 29, 18, 39}},  // mirrored along the other diagonal
      {8, {2, 29, 6, 39}},    // a quarter anticlockwise
  };
  Item item = item_of({{1, 2, 11, 6}});
  item.width = 40;
  item.height = 20;
  for (const auto& [orientation, expected] : cases) {
    CAPTURE(orientation);
    const CheckedBoxes checked = check_boxes(item, 20, 40, orientation);
    REQUIRE(checked.boxes.size() == 1);
    CHECK(checked.boxes[0] == expected);
  }
  Item normalised = item_of({{0.025f, 0.1f, 0.275f, 0.3f}}, true);
  normalised.width = 40;
  normalised.height = 20;
  const LabelBox turned = check_boxes(normalised, 20, 40, 6).boxes.at(0);
  CHECK(turned.x1 == doctest::Approx(14));
  CHECK(turned.y2 == doctest::Approx(11));
}

// The same picture, by the same drawing.
TEST_CASE("boxes of labels that do not say so turn with the picture when they are meant before") {
  const std::vector<std::pair<std::int32_t, LabelBox>> cases{
      {1, {1, 2, 11, 6}},
      {2, {29, 2, 39, 6}},    // mirrored from left to right
      {3, {29, 14, 39, 18}},  // a half turn
      {4, {1, 14, 11, 18}},   // mirrored from top to bottom
  };
  for (const auto& [orientation, expected] : cases) {
    CAPTURE(orientation);
    const Item item = item_of({{1, 2, 11, 6}});
    CHECK(check_boxes(item, 40, 20, orientation, true).boxes.at(0) == expected);
    CHECK(check_boxes(item, 40, 20, orientation, false).boxes.at(0) == item.boxes[0]);
  }
  const Item unstated = item_of({{1, 2, 11, 6}});
  CHECK(check_boxes(unstated, 20, 40, 6, true).boxes.at(0) == LabelBox{14, 1, 18, 11});
  Item square = item_of({{0.025f, 0.05f, 0.275f, 0.15f}}, true);
  square.width = square.height = 40;
  CHECK(check_boxes(square, 40, 40, 8, true).boxes.at(0) == LabelBox{2, 29, 6, 39});
  Item displayed = item_of({{1, 2, 11, 6}});
  displayed.width = 20;
  displayed.height = 40;
  CHECK(check_boxes(displayed, 20, 40, 6, true).boxes.at(0) == displayed.boxes[0]);
}

TEST_CASE(
    "boxes stay when the label states the displayed size, none, or the turn keeps the sides") {
  const LabelBox box{1, 2, 11, 6};
  Item displayed = item_of({box});
  displayed.width = 20;
  displayed.height = 40;
  CHECK(check_boxes(displayed, 20, 40, 6).boxes.at(0) == box);
  CHECK(check_boxes(item_of({box}), 20, 40, 6).boxes.at(0) == box);
  Item half_turn = item_of({box});
  half_turn.width = 40;
  half_turn.height = 20;
  CHECK(check_boxes(half_turn, 40, 20, 3).boxes.at(0) == box);
}

}  // namespace letterpress
