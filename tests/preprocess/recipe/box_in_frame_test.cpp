#include <doctest/doctest.h>

#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

constexpr int kFrameSide = 100;
constexpr BoxRule kLoose{.min_side = 2, .min_area = 0};

// The square 0,0,20,20 turned by 45 degrees and enlarged: a diamond of half diagonal 20 around
// here.
Affine diamond(double x, double y) { return {{1, -1, x, 1, 1, y - 20}}; }

std::optional<LabelBox> shown(double x, double y, const BoxRule& rule = kLoose) {
  return box_in_frame({0, 0, 20, 20, 3}, diamond(x, y), kFrameSide, &rule);
}

LabelBox cut(float x1, float y1, float x2, float y2) {
  LabelBox box{x1, y1, x2, y2, 3};
  box.flags = kCut;
  box.area = 400;
  return box;
}

}  // namespace

TEST_CASE("a turned box that the frame cuts is the rectangle around what is left of it, by hand") {
  LabelBox whole = cut(30, 30, 70, 70);
  whole.flags = 0;
  CHECK(shown(50, 50) == whole);
  CHECK(shown(10, 50) == cut(0, 30, 30, 70));  // one corner is cut off, the other three are left
  CHECK(shown(-5, 50) == cut(0, 35, 15, 65));  // a triangle
  CHECK(shown(105, 50) == cut(85, 35, 100, 65));
  CHECK(shown(50, -5) == cut(35, 0, 65, 15));
  CHECK(shown(50, 105) == cut(35, 85, 65, 100));
  CHECK(shown(5, 5) == cut(0, 0, 25, 25));
  // The rectangle around it reaches into the frame, the diamond does not.
  CHECK(!shown(-12, -12));
  CHECK(!shown(112, 112));
}

TEST_CASE("min_area is a share of the turned box itself: a triangle of 225 of 800") {
  CHECK(shown(-5, 50, {.min_side = 0, .min_area = 0.28}));
  CHECK(!shown(-5, 50, {.min_side = 0, .min_area = 0.29}));
  CHECK(shown(50, 50, {.min_side = 0, .min_area = 1}));
}

TEST_CASE("any part of a crowd stays, but a sliver") {
  const BoxRule rule{.min_side = 2, .min_area = 0.9};
  LabelBox box{-500, -500, 500, 30, 3};
  const Affine as_it_is{{1, 0, 0, 0, 1, 0}};
  CHECK(!box_in_frame(box, as_it_is, kFrameSide, &rule));
  box.flags = kCrowd;
  const auto shown = box_in_frame(box, as_it_is, kFrameSide, &rule);
  REQUIRE(shown);
  CHECK(shown->y2 == 30);
  CHECK(shown->x2 == kFrameSide);
  CHECK(shown->flags == (kCrowd | kCut));
  box.y2 = 2;
  CHECK(!box_in_frame(box, as_it_is, kFrameSide, &rule));
}

TEST_CASE("an upright, mirrored or quarter-turned box is cut as before") {
  const LabelBox box{0, 0, 20, 20, 3};
  for (const Affine& map : {Affine{{1, 0, -5, 0, 1, 40}}, Affine{{-1, 0, 15, 0, 1, 40}},
                            Affine{{0, -1, 15, 1, 0, 40}}}) {
    CHECK(box_in_frame(box, map, kFrameSide, &kLoose) == cut(0, 40, 15, 60));
  }
}

}  // namespace letterpress
