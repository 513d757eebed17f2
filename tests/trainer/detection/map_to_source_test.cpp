#include "trainer/detection/map_to_source.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/trainer/detection/print.h"

using namespace letterpress;

TEST_CASE("a box goes back to the source picture through the inverse letterbox") {
  // 800 x 400 into 400: scale 1/2, 100 px of margin above: frame (x, y) -> source (2x, 2(y - 100))
  const Affine letterbox{{0.5, 0, 0, 0, 0.5, 100}};
  const std::vector<Detection> found{{10, 120, 50, 160, 0.9f, 2}};
  CHECK(map_to_source(found, letterbox, 800, 400) ==
        std::vector<Detection>{{20, 40, 100, 120, 0.9f, 2}});
}

TEST_CASE(
    "boxes are clipped to the picture, boxes in the margin are dropped, and the order stays") {
  const Affine letterbox{{0.5, 0, 0, 0, 0.5, 100}};
  const std::vector<Detection> found{{-5, 90, 500, 350, 0.9f, 0},
                                     {10, 20, 50, 100, 0.8f, 1},
                                     {390, 290, 420, 310, 0.7f, 1},
                                     {10, 310, 40, 330, 0.6f, 0}};
  CHECK(map_to_source(found, letterbox, 800, 400) ==
        std::vector<Detection>{{0, 0, 800, 400, 0.9f, 0}, {780, 380, 800, 400, 0.7f, 1}});
}

TEST_CASE("a map that mirrors gives upright boxes") {
  const Affine mirror{{-1, 0, 100, 0, 1, 0}};  // x' = 100 - x
  const std::vector<Detection> found{{10, 5, 30, 25, 0.5f, 0}};
  CHECK(map_to_source(found, mirror, 100, 50) == std::vector<Detection>{{70, 5, 90, 25, 0.5f, 0}});
}

TEST_CASE("nothing maps to nothing, and a singular map is refused") {
  CHECK(map_to_source({}, Affine{}, 10, 10).empty());
  const std::vector<Detection> found{{0, 0, 1, 1, 0.5f, 0}};
  CHECK_THROWS_AS(map_to_source(found, Affine{{0, 0, 0, 0, 0, 0}}, 10, 10), Error);
}
