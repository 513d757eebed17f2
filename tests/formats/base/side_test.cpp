#include "letterpress/base/side.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace letterpress;

TEST_CASE("sides are multiples of 32 from 32 to 8192") {
  for (const int side : {32, 416, 640, 8192}) CHECK(is_side(side));
  for (const int side : {-32, 0, 16, 415, 8224}) CHECK_FALSE(is_side(side));
  CHECK(kSideLimits.hold(416));
  for (const double side : {415.5, 0.0, -32.0, 1e300}) CHECK_FALSE(kSideLimits.hold(side));
}
