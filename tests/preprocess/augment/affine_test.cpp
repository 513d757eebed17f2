#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

const ViewFrame kFrame{100, 100, 100, {}, {}};

void check_point(const std::vector<float>& drawn, std::array<double, 2> from,
                 std::array<double, 2> to) {
  const auto [x, y] = apply(placed(*make("affine"), drawn, kFrame), from[0], from[1]);
  CHECK(x == doctest::Approx(to[0]));
  CHECK(y == doctest::Approx(to[1]));
}

TEST_CASE("affine scales, shifts, turns and shears about the centre, as computed by hand") {
  check_point({2, 0, 0, 0, 0, 0}, {60, 50}, {70, 50});
  check_point({1, 0.1f, -0.2f, 0, 0, 0}, {0, 0}, {10, -20});
  check_point({1, 0, 0, 90, 0, 0}, {60, 50}, {50, 60});  // clockwise: right becomes down
  check_point({2, 0, 0, 180, 0, 0}, {60, 45}, {30, 60});
  check_point({1, 0, 0, 30, 0, 0}, {70, 50}, {50 + 20 * 0.8660254, 60});
  check_point({1, 0, 0, 0, 45, 0}, {50, 60}, {60, 60});  // x grows with y
  check_point({1, 0, 0, 0, 0, 45}, {60, 50}, {60, 60});
  check_point({2, 0.1f, 0, 90, 45, 0}, {50, 60},
              {40, 70});  // shear, then turn and scale, then shift
}

TEST_CASE("affine with no change leaves the map the same to the bit") {
  const Affine letterbox{{0.65, 0, 0, 0, 0.65, 52}};
  CHECK(placed(*make("affine"), {1, 0, 0, 0, 0, 0}, {640, 480, 416, letterbox, {}}) == letterbox);
}

TEST_CASE("affine names the wrong bound") {
  CHECK_THROWS_WITH_AS(
      make("affine", {{"scale_low", 2}, {"scale_high", 1.25}}),
      "mine.toml: augment 1 (affine): scale_low 2 is above scale_high 1.25; exchange them", Error);
  CHECK_THROWS_WITH_AS(make("affine", {{"rotation", 200}}),
                       "mine.toml: augment 1 (affine): rotation is 200, must be 0..180", Error);
}

}  // namespace
}  // namespace letterpress
