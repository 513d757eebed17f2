#include "letterpress/base/extent.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("the overlap of two rectangles, counted on squared paper") {
  const Extent wide{0, 0, 4, 2};
  CHECK(wide.area() == 8);
  CHECK(intersection(wide, {1, 1, 3, 5}).area() == 2);
  CHECK(iou(wide, {1, 1, 3, 5}) == 2.0 / (8 + 8 - 2));
  CHECK(iou(wide, wide) == 1);
  CHECK(iou(wide, {4, 0, 5, 2}) == 0);  // an edge in common
  CHECK(iou(wide, {5, 5, 6, 6}) == 0);
  const Extent point{1, 1, 1, 1};
  CHECK(iou(wide, point) == 0);
  CHECK(iou(point, point) == 0);
  CHECK(Extent{3, 0, 1, 2}.area() == 0);  // its corners are swapped
}
