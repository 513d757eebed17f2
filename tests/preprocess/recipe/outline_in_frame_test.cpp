// Boxes of views follow the outline that a label has.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "formats/annotations/shared/outline.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {
namespace {

using annotations::Point;

constexpr int kFrame = 100;
constexpr BoxRule kAny{.min_side = 0, .min_area = 0};
constexpr Affine kTurnedEighth{{0.5, 0.5, 0, -0.5, 0.5, 50}};  // and reduced by sqrt(2)

// A scratch from the box's top left to its bottom right corner, 4 % of a side thick.
LabelBox scratch() {
  constexpr std::uint16_t kThick = 2621, kRest = kWholeSide - kThick;
  LabelBox box{0, 0, 100, 100, 3};
  box.outline = {
      {0, 0},     {kThick, 0}, {kWholeSide, kRest}, {kWholeSide, kWholeSide}, {kRest, kWholeSide},
      {0, kThick}};
  return box;
}

LabelBox without_outline(LabelBox box) {
  box.outline.clear();
  return box;
}

void check_corners(const std::optional<LabelBox>& box, float x1, float y1, float x2, float y2) {
  REQUIRE(box);
  CHECK(box->x1 == doctest::Approx(x1).epsilon(1e-3));
  CHECK(box->y1 == doctest::Approx(y1).epsilon(1e-3));
  CHECK(box->x2 == doctest::Approx(x2).epsilon(1e-3));
  CHECK(box->y2 == doctest::Approx(y2).epsilon(1e-3));
  CHECK(box->class_id == 3);
  CHECK(box->area == 10000);
  CHECK(box->outline.empty());
}

// A convex object somewhere around a picture of 300 x 200, often long and thin.
std::vector<Point> random_object(std::mt19937& engine) {
  const auto drawn = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  const double x = drawn(60, 240), y = drawn(40, 160), a = drawn(10, 60), b = drawn(4, 40);
  const double turn = drawn(0, std::numbers::pi);
  std::vector<double> angles;
  for (int n = 3 + static_cast<int>(drawn(0, 20)); n > 0; --n)
    angles.push_back(drawn(0, 2 * std::numbers::pi));
  std::ranges::sort(angles);
  std::vector<Point> points;
  for (const double angle : angles) {
    const double along = a * std::cos(angle), off = b * std::sin(angle);
    points.push_back({x + along * std::cos(turn) - off * std::sin(turn),
                      y + along * std::sin(turn) + off * std::cos(turn)});
  }
  return points;
}

LabelBox label_of(const std::vector<Point>& points) {
  Point low = points.front(), high = low;
  for (const auto& [x, y] : points) {
    low = {std::min(low[0], x), std::min(low[1], y)};
    high = {std::max(high[0], x), std::max(high[1], y)};
  }
  LabelBox box{static_cast<float>(low[0]), static_cast<float>(low[1]), static_cast<float>(high[0]),
               static_cast<float>(high[1]), 0};
  box.outline = annotations::outline_in(box, points);
  return box;
}

Affine random_map(std::mt19937& engine, bool upright) {
  const auto drawn = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  const double scale = drawn(0.3, 0.8), turn = upright ? 0 : drawn(-3.1, 3.1);
  const double shear = upright ? 0 : drawn(-0.3, 0.3);
  const Affine shape{{scale * std::cos(turn), -scale * std::sin(turn), 0, scale * std::sin(turn),
                      scale * std::cos(turn), 0}};
  const double x = drawn(30, 270), y = drawn(20, 180);
  return Affine{{1, shear, 50, 0, 1, 50}} * shape * Affine{{1, 0, -x, 0, 1, -y}};
}

// What the frame shows of the object, by moving dots that fill it.
class Seen {
 public:
  Seen(const std::vector<Point>& points, const Affine& map) : points_(points), map_(map) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point &here = points[i], &next = points[(i + 1) % points.size()];
      for (int step = 0; step < 2000; ++step) {
        const double share = step / 2000.0;
        look_at(here[0] + share * (next[0] - here[0]), here[1] + share * (next[1] - here[1]));
      }
    }
    const LabelBox box = label_of(points);
    for (double y = box.y1; y < box.y2; y += 0.5) {
      for (double x = box.x1; x < box.x2; x += 0.5) {
        if (is_inside(x, y)) look_at(x, y);
      }
    }
  }
  bool any() const { return x1 <= x2; }
  // By how much the box is wider than what is seen, on its worst side; < 0: it is narrower.
  double looseness(const LabelBox& box) const {
    return std::max({x1 - box.x1, y1 - box.y1, box.x2 - x2, box.y2 - y2});
  }
  double tightness(const LabelBox& box) const {
    return std::max({box.x1 - x1, box.y1 - y1, x2 - box.x2, y2 - box.y2});
  }

 private:
  void look_at(double x, double y) {
    const auto [fx, fy] = apply(map_, x, y);
    if (fx < 0 || fy < 0 || fx > kFrame || fy > kFrame) return;
    x1 = std::min(x1, fx), y1 = std::min(y1, fy), x2 = std::max(x2, fx), y2 = std::max(y2, fy);
  }
  bool is_inside(double x, double y) const {
    bool inside = false;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto& [ax, ay] = points_[i];
      const auto& [bx, by] = points_[(i + 1) % points_.size()];
      if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) inside = !inside;
    }
    return inside;
  }

  const std::vector<Point>& points_;
  const Affine& map_;
  double x1 = kFrame, y1 = kFrame, x2 = 0, y2 = 0;
};

}  // namespace

TEST_CASE("a diagonal scratch that turns into the horizontal is as thin as it is, by hand") {
  const auto box = box_in_frame(scratch(), kTurnedEighth, kFrame, &kAny);
  check_corners(box, 0, 48, 100, 52);
  CHECK(box->flags == 0);  // the label's own box would be cut, the scratch is not
  check_corners(box_in_frame(without_outline(scratch()), kTurnedEighth, kFrame, &kAny), 0, 0, 100,
                100);
}

TEST_CASE("a tile that cuts a diagonal scratch has the box of its part, by hand") {
  const Affine right_half{{1, 0, -50, 0, 1, 0}};
  const auto box = box_in_frame(scratch(), right_half, kFrame, &kAny);
  check_corners(box, 0, 46, 50, 100);
  CHECK(box->flags == kCut);
  check_corners(box_in_frame(without_outline(scratch()), right_half, kFrame, &kAny), 0, 0, 50, 100);
  // The top right of the box, where the scratch is not.
  const Affine beside{{1, 0, -60, 0, 1, 50}};
  CHECK(!box_in_frame(scratch(), beside, kFrame, &kAny));
  CHECK(box_in_frame(without_outline(scratch()), beside, kFrame, &kAny));
}

TEST_CASE("a box that is neither turned nor cut is the label's, and so is that of view 0") {
  LabelBox box{10, 10, 30, 30, 3};
  box.outline = {{1000, 1000}, {60000, 1000}, {1000, 60000}};
  const Affine map{{2, 0, 5, 0, 2, 5}};
  LabelBox expected{25, 25, 65, 65, 3, 0, 400};
  CHECK(box_in_frame(box, map, kFrame, &kAny) == expected);
  CHECK(box_in_frame(box, map, kFrame, nullptr) == expected);
  expected.x2 = 50, expected.y2 = 50;
  CHECK(box_in_frame(box, map, 50, nullptr) == expected);
}

TEST_CASE("min_area is a share of the outline: 50 of a triangle of 200") {
  LabelBox box{0, 0, 20, 20, 3};
  box.outline = {{0, 0}, {kWholeSide, 0}, {0, kWholeSide}};
  const Affine right_half{{1, 0, -10, 0, 1, 40}};
  constexpr BoxRule kLess{.min_side = 0, .min_area = 0.249},
      kMore{.min_side = 0, .min_area = 0.251};
  CHECK(box_in_frame(box, right_half, kFrame, &kLess));
  CHECK(!box_in_frame(box, right_half, kFrame, &kMore));
}

// Without outlines about half of them are wider by more than 2 pixels.
TEST_CASE("boxes of cut and turned convex objects are within a pixel of what is seen") {
  for (const bool upright : {false, true}) {
    CAPTURE(upright);
    std::mt19937 engine(7);
    int placed = 0, loose_without = 0;
    for (int round = 0; round < 400; ++round) {
      CAPTURE(round);
      const std::vector<Point> points = random_object(engine);
      const LabelBox label = label_of(points);
      const Affine map = random_map(engine, upright);
      const auto box = box_in_frame(label, map, kFrame, &kAny);
      const Seen seen(points, map);
      if (!box || box->x2 - box->x1 < 1 || box->y2 - box->y1 < 1) continue;
      REQUIRE(seen.any());
      CHECK(seen.looseness(*box) < 1);
      CHECK(seen.tightness(*box) < 1);
      const auto wide = box_in_frame(without_outline(label), map, kFrame, &kAny);
      REQUIRE(wide);
      if (((box->flags | wide->flags) & kCut) == 0) continue;
      ++placed;
      loose_without += seen.looseness(*wide) > 2;
    }
    CHECK(placed > 40);
    CHECK(loose_without > placed * 2 / 5);
  }
}

}  // namespace letterpress
