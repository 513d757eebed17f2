#include "letterpress/base/convex_outline.h"

#include <doctest/doctest.h>

namespace letterpress {
namespace {

// A triangle in the box 10,20,50,60: its corners are (10, 20), (50, 20) and (10, 60).
LabelBox triangle() {
  LabelBox box{10, 20, 50, 60};
  box.outline = {{0, 0}, {kWholeSide, 0}, {0, kWholeSide}};
  return box;
}

}  // namespace

TEST_CASE("a box without an outline is its own; area and extent are the box's") {
  const ConvexOutline outline(LabelBox{10, 20, 50, 30});
  CHECK(outline.corners().size() == 4);
  CHECK(outline.area() == 400);
  CHECK(outline.extent() == std::array<double, 4>{10, 20, 50, 30});
}

TEST_CASE("a triangle keeps half of its box, and what a rectangle leaves of it, by hand") {
  ConvexOutline outline(triangle());
  CHECK(outline.area() == 800);
  CHECK(outline.extent() == std::array<double, 4>{10, 20, 50, 60});
  outline.cut_at({30, 0}, {100, 100});  // the triangle (30, 20), (50, 20), (30, 40)
  CHECK(outline.corners().size() == 3);
  CHECK(outline.area() == 200);
  CHECK(outline.extent() == std::array<double, 4>{30, 20, 50, 40});
  outline.cut_at({45, 30}, {100, 100});  // beyond the long side
  CHECK(outline.empty());
}

TEST_CASE("moved corners are where the map puts them") {
  ConvexOutline outline(triangle());
  outline.move([](const ConvexOutline::Point& corner) {
    return ConvexOutline::Point{2 * corner[0] - 5, corner[1] + 1};
  });
  CHECK(outline.extent() == std::array<double, 4>{15, 21, 95, 61});
  CHECK(outline.area() == 1600);
}

TEST_CASE("an outline with as many corners as there can be has room for four more") {
  LabelBox box{0, 0, 100, 100};
  // 8 corners on each side of a rounded square, so that each edge of the rectangle cuts two sides.
  for (int i = 0; i < 8; ++i) {
    const auto along = static_cast<std::uint16_t>(8000 * i),
               off = static_cast<std::uint16_t>(2 * (7 - i) * (8 - i) * 60);
    box.outline.push_back({along, off});
  }
  for (int quarter = 1; quarter < 4; ++quarter) {
    for (int i = 0; i < 8; ++i) {
      const OutlinePoint last = box.outline[box.outline.size() - 8];
      box.outline.push_back({static_cast<std::uint16_t>(kWholeSide - last.y), last.x});
    }
  }
  REQUIRE(box.outline.size() == kMaxOutlinePoints);
  ConvexOutline outline(box);
  outline.cut_at({5, 5}, {95, 95});
  CHECK(outline.corners().size() <= kMaxOutlinePoints + 4);
  const auto [x1, y1, x2, y2] = outline.extent();
  CHECK(x1 == 5);
  CHECK(y1 == 5);
  CHECK(x2 == 95);
  CHECK(y2 == 95);
}

}  // namespace letterpress
