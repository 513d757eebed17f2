#include <doctest/doctest.h>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

TEST_CASE("crop cuts its share of each margin beside the boxes, as computed by hand") {
  const std::vector<LabelBox> boxes{{40, 20, 60, 30, 0}, {50, 70, 80, 80, 1}};
  // Margins left 40, top 20, right 20, bottom 20: half of them leaves 20..90 x 10..90, 70 x
  // 80: 1.25 times, 6 columns beside it.
  const Affine half = placed(*make("crop"), {0.5f, 0.5f, 0.5f, 0.5f}, {100, 100, 100, {}, boxes});
  CHECK(half == Affine{{1.25, 0, 6 - 1.25 * 20, 0, 1.25, -12.5}});
  // Only from the left: 40..100, as high as before, so nothing is enlarged.
  CHECK(placed(*make("crop"), {1, 0, 0, 0}, {100, 100, 100, {}, boxes}) ==
        Affine{{1, 0, 20 - 40, 0, 1, 0}});
}

TEST_CASE("crop without boxes keeps the middle, and never enlarges by more than `zoom`") {
  CHECK(placed(*make("crop"), {0.5f, 0.5f, 0.5f, 0.5f}, {100, 100, 100, {}, {}}) ==
        Affine{{2, 0, -50, 0, 2, -50}});
  const Affine all = placed(*make("crop", {{"zoom", 4}}), {1, 1, 1, 1}, {100, 100, 100, {}, {}});
  CHECK(all.m[0] == 4);
  CHECK(apply(all, 50, 50) == std::array<double, 2>{50, 50});
}

TEST_CASE("crop starts from the picture's edges: the grey beside it is not a margin") {
  // 100 x 50 in 100: lines 25..75.
  const ViewFrame frame{100, 50, 100, {{1, 0, 0, 0, 1, 25}}, {}};
  const Affine map = placed(*make("crop"), {0.5f, 0, 0.5f, 0}, frame);
  CHECK(map == Affine{{2, 0, -50, 0, 2, 0}});
}

TEST_CASE("crop cuts no box, wherever it is") {
  const auto crop = make("crop", {{"share", 1}, {"zoom", 10}});
  for (std::int32_t view = 1; view <= 300; ++view) {
    RandomEngine engine({.seed = 5, .view = view});
    const float x = engine.uniform(0, 600), y = engine.uniform(0, 440);
    const std::vector<LabelBox> boxes{{x, y, x + 40, y + 40, 0}};
    const Affine map =
        placed(*crop, drawn_by(*crop, view), {640, 480, 320, {{0.5, 0, 0, 0, 0.5, 40}}, boxes});
    for (const auto& [cx, cy] : {apply(map, x, y), apply(map, x + 40, y + 40)}) {
      CHECK(cx >= -1);  // the window is centred to whole pixels
      CHECK(cx <= 321);
      CHECK(cy >= -1);
      CHECK(cy <= 321);
    }
  }
}

}  // namespace
}  // namespace letterpress
