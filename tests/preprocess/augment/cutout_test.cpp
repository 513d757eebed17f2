#include <doctest/doctest.h>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

TEST_CASE("a hole covers only its pixels, and ends at the frame's edge") {
  const auto cutout = make("cutout", {{"fill", 9}, {"holes", 2}});
  const std::vector<std::uint8_t> white(10 * 10 * 3, 255);
  // x 3..7 (centre .5, width .4), y 1..3; the second 8..10 x 0..2 hangs over the corner.
  const auto cut = coloured(*cutout, {0.5f, 0.2f, 0.4f, 0.2f, 1.0f, 0.0f, 0.4f, 0.4f}, white, 10);
  for (std::size_t y = 0; y < 10; ++y) {
    for (std::size_t x = 0; x < 10; ++x) {
      const bool first = x >= 3 && x < 7 && y >= 1 && y < 3, second = x >= 8 && y < 2;
      for (std::size_t c = 0; c < 3; ++c)
        CHECK(static_cast<int>(cut[3 * (10 * y + x) + c]) == (first || second ? 9 : 255));
    }
  }
}

TEST_CASE("sizes are drawn from their range, and are 0 if there is no hole") {
  const auto always = make("cutout",
                           {{"size_low", 0.2}, {"size_high", 0.3}, {"chance", 1}, {"holes", 8}}),
             never = make("cutout", {{"chance", 0}});
  for (std::int32_t view = 1; view <= 20; ++view) {
    const auto drawn = drawn_by(*always, view);
    REQUIRE(drawn.size() == 32);
    for (std::size_t i = 2; i < drawn.size(); i += 4) {
      CHECK(drawn[i] >= 0.2f - 1e-5f);
      CHECK(drawn[i + 1] <= 0.3f + 1e-5f);
    }
    CHECK(drawn_by(*never, view)[2] == 0);
  }
}

}  // namespace
}  // namespace letterpress
