#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

TEST_CASE("shift moves by whole pixels of the frame, whatever the picture's scale") {
  const ViewFrame frame{32, 32, 32, {{1, 0, 0, 0, 1, 0}}, {}};
  CHECK(placed(*make("shift"), {0.125f, -0.125f}, frame) == Affine{{1, 0, 4, 0, 1, -4}});
  CHECK(placed(*make("shift"), {0.1f, -0.01f}, frame) == Affine{{1, 0, 3, 0, 1, 0}});  // 3.2, -0.32
  const ViewFrame large{640, 480, 416, {{0.65, 0, 0, 0, 0.65, 52}}, {}};
  CHECK(placed(*make("shift"), {0.01f, 0.01f}, large) == Affine{{0.65, 0, 4, 0, 0.65, 56}});
}

TEST_CASE("shift reaches as far as asked, either way, and no farther") {
  float low = 0, high = 0;
  for (std::int32_t view = 1; view <= 500; ++view) {
    for (const float value : drawn_by(*make("shift", {{"share", 0.25}}), view)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  CHECK(low >= -0.25f);
  CHECK(low < -0.24f);
  CHECK(high <= 0.25f);
  CHECK(high > 0.24f);
}

}  // namespace
}  // namespace letterpress
