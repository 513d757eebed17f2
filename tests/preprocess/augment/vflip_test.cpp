#include <doctest/doctest.h>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

TEST_CASE("vflip mirrors the frame, not the picture") {
  const ViewFrame frame{100, 100, 64, {{0.5, 0, 10, 0, 0.5, 3}}, {}};
  CHECK(placed(*make("vflip"), {0}, frame) == frame.source_to_frame);
  CHECK(placed(*make("vflip"), {1}, frame) == Affine{{0.5, 0, 10, 0, -0.5, 61}});
}

TEST_CASE("vflip comes as often as asked") {
  for (std::int32_t view = 1; view <= 50; ++view) {
    CHECK(drawn_by(*make("vflip", {{"chance", 0}}), view) == std::vector<float>{0});
    CHECK(drawn_by(*make("vflip", {{"chance", 1}}), view) == std::vector<float>{1});
  }
}

}  // namespace
}  // namespace letterpress
