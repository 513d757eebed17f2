#include <doctest/doctest.h>

#include <array>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

TEST_CASE(
    "turn90 turns the frame clockwise: the top left corner goes to the top right, and so on") {
  const std::array<std::array<double, 2>, 4> corners{{{0, 0}, {64, 0}, {64, 64}, {0, 64}}};
  for (std::size_t quarters = 0; quarters < 4; ++quarters) {
    const Affine map =
        placed(*make("turn90"), {static_cast<float>(quarters)}, {64, 64, 64, {}, {}});
    CHECK(apply(map, 0, 0) == corners[quarters]);
  }
}

TEST_CASE("turn90 by default draws all four directions equally often") {
  std::array<int, 4> seen{};
  const auto turn = make("turn90");
  for (std::int32_t view = 1; view <= 4000; ++view)
    ++seen.at(static_cast<std::size_t>(drawn_by(*turn, view)[0]));
  for (const int n : seen) CHECK(n == doctest::Approx(1000).epsilon(0.1));
}

}  // namespace
}  // namespace letterpress
