#include "trainer/detection/merge_tiles.h"

#include <doctest/doctest.h>

#include "tests/trainer/detection/print.h"

using namespace letterpress;

namespace {

using Boxes = std::vector<Detection>;

// Two tiles of 64 side by side in a picture of 107 x 64: 0..64 and 43..107.
Boxes merged(const Boxes& left, const Boxes& right, const DetectionOptions& options = {}) {
  const std::vector<TileDetections> tiles{{{.x = 0, .y = 0, .width = 64, .height = 64}, left},
                                          {{.x = 43, .y = 0, .width = 64, .height = 64}, right}};
  return merge_tiles(tiles, 107, 64, options);
}

}  // namespace

TEST_CASE("an object that two tiles show whole is found once, as the better one has it") {
  CHECK(merged({{45, 10, 61, 26, 0.8f, 1}}, {{46, 10, 61, 26, 0.9f, 1}}) ==
        Boxes{{46, 10, 61, 26, 0.9f, 1}});
}

TEST_CASE("a whole box stands in for one that a tile's edge cuts; the better score stays") {
  CHECK(merged({{50, 10, 64, 20, 0.9f, 0}}, {{50, 10, 80, 20, 0.6f, 0}}) ==
        Boxes{{50, 10, 80, 20, 0.9f, 0}});
  CHECK(merged({{50, 10, 64, 20, 0.3f, 0}}, {{50, 10, 80, 20, 0.6f, 0}}) ==
        Boxes{{50, 10, 80, 20, 0.6f, 0}});
}

TEST_CASE("a fragment whose edge is off the tile's stands in for nothing that it leaves out") {
  const auto merged_of_large = [](const Detection& left, const Detection& right) {
    const std::vector<TileDetections> tiles{
        {{.x = 0, .y = 0, .width = 640, .height = 640}, {left}},
        {{.x = 512, .y = 0, .width = 640, .height = 640}, {right}}};
    return merge_tiles(tiles, 1152, 640, {});
  };
  const Detection left{100, 300, 640, 340, 0.9f, 0};
  // The right tile begins at 512; up to 518.4 a box is cut there.
  for (const float x : {518.0f, 519.0f, 530.0f}) {
    CAPTURE(x);
    CHECK(merged_of_large(left, {x, 300, 1000, 340, 0.8f, 0}) ==
          Boxes{{100, 300, 1000, 340, 0.9f, 0}});
    CHECK(merged_of_large(left, {x, 300, 645, 340, 0.3f, 0}) ==
          Boxes{{100, 300, 645, 340, 0.9f, 0}});
  }
}

TEST_CASE("boxes that are cut in every tile are joined") {
  CHECK(merged({{30, 10, 64, 20, 0.9f, 0}}, {{43, 10, 70, 20, 0.8f, 0}}) ==
        Boxes{{30, 10, 70, 20, 0.9f, 0}});
}

TEST_CASE(
    "the ends of a long object are one object when the tile between them shows it, whole or cut") {
  // Tiles of 64 at 0, 43 and 86 of a picture of 150 x 64: the outer two have nothing in common.
  const auto merged_of_three = [](const Boxes& left, const Boxes& middle, const Boxes& right) {
    const std::vector<TileDetections> tiles{{{.x = 0, .y = 0, .width = 64, .height = 64}, left},
                                            {{.x = 43, .y = 0, .width = 64, .height = 64}, middle},
                                            {{.x = 86, .y = 0, .width = 64, .height = 64}, right}};
    return merge_tiles(tiles, 150, 64, {});
  };
  const Boxes left{{45, 10, 64, 20, 0.9f, 0}}, right{{86, 10, 105, 20, 0.8f, 0}};
  CHECK(merged_of_three(left, {{45, 10, 105, 20, 0.7f, 0}}, right) ==
        Boxes{{45, 10, 105, 20, 0.9f, 0}});
  CHECK(merged_of_three({{20, 10, 64, 20, 0.9f, 0}}, {{43, 10, 107, 20, 0.7f, 0}},
                        {{86, 10, 130, 20, 0.8f, 0}}) == Boxes{{20, 10, 130, 20, 0.9f, 0}});
  CHECK(merged_of_three(left, {}, right).size() == 2);
}

TEST_CASE("a whole one and one that is cut are one object when a third tile shows it") {
  // Tiles of 64 at 0, 43 and 86; the outer two boxes overlap by less than 0.6 of what both show.
  const auto merged_of_corner = [](const Detection& upper, const Detection& lower,
                                   const Detection& both) {
    const std::vector<TileDetections> tiles{
        {{.x = 0, .y = 0, .width = 64, .height = 64}, {upper}},
        {{.x = 43, .y = 0, .width = 64, .height = 64}, {both}},
        {{.x = 0, .y = 43, .width = 64, .height = 64}, {lower}}};
    return merge_tiles(tiles, 107, 107, {});
  };
  const Detection both{45, 40, 58, 57, 0.5f, 0};
  const Detection whole{45, 40, 60, 56.5f, 0.9f, 0}, cut{45, 43.2f, 54, 57, 0.7f, 0};
  CHECK(merged_of_corner(whole, cut, both) == Boxes{whole});
  const Detection weak{45, 40, 60, 56.5f, 0.6f, 0};
  CHECK(merged_of_corner(weak, cut, both) == Boxes{{45, 40, 60, 56.5f, 0.7f, 0}});
}

TEST_CASE("of two fragments that a third box holds, it does not matter which is the better one") {
  const auto merged_of_ends = [](float left, float right) {
    const std::vector<TileDetections> tiles{
        {{.x = 0, .y = 0, .width = 64, .height = 64}, {{50, 10, 64, 20, left, 0}}},
        {{.x = 43, .y = 0, .width = 64, .height = 64}, {{50, 10, 100, 20, 0.5f, 0}}},
        // Two pixels off the tile's edge, and so not cut there.
        {{.x = 86, .y = 0, .width = 64, .height = 64}, {{88, 10, 100, 20, right, 0}}}};
    return merge_tiles(tiles, 150, 64, {});
  };
  CHECK(merged_of_ends(0.9f, 0.8f) == Boxes{{50, 10, 100, 20, 0.9f, 0}});
  CHECK(merged_of_ends(0.8f, 0.9f) == Boxes{{50, 10, 100, 20, 0.9f, 0}});
}

TEST_CASE("a picture's own edges cut nothing") {
  // The left box ends at the picture's left edge and is whole: the right one adds nothing to it.
  CHECK(merged({{0, 10, 60, 20, 0.9f, 0}}, {{43, 10, 62, 20, 0.8f, 0}}) ==
        Boxes{{0, 10, 60, 20, 0.9f, 0}});
}

TEST_CASE("of two classes both stay, but with agnostic suppression") {
  const Boxes left{{45, 10, 61, 26, 0.9f, 0}}, right{{45, 10, 61, 26, 0.8f, 1}};
  CHECK(merged(left, right).size() == 2);
  CHECK(merged(left, right, {.suppression = "agnostic"}) == left);
}

TEST_CASE("a small object within a large one of its class stays, as do neighbours in one tile") {
  CHECK(merged({{10, 0, 64, 64, 0.9f, 0}}, {{50, 10, 60, 20, 0.8f, 0}}).size() == 2);
  const Boxes near{{5, 5, 25, 25, 0.9f, 0}, {8, 5, 28, 25, 0.8f, 0}};
  CHECK(merged(near, {}) == near);
}

TEST_CASE("two objects of one tile do not become one through a third of the other tile") {
  CHECK(merged({{45, 10, 60, 30, 0.9f, 0}, {46, 10, 61, 30, 0.8f, 0}}, {{45, 10, 61, 30, 0.7f, 0}})
            .size() == 2);
}

TEST_CASE("what is found comes best first, and overlap decides what is one object") {
  const Boxes left{{45, 10, 55, 20, 0.5f, 0}, {5, 5, 15, 15, 0.9f, 0}};
  const Boxes right{{48, 10, 58, 20, 0.7f, 0}};  // IoU with the first 7 / 13
  CHECK(merged(left, right) ==
        Boxes{{5, 5, 15, 15, 0.9f, 0}, {48, 10, 58, 20, 0.7f, 0}, {45, 10, 55, 20, 0.5f, 0}});
  CHECK(merged(left, right, {.iou = 0.5f}) ==
        Boxes{{5, 5, 15, 15, 0.9f, 0}, {48, 10, 58, 20, 0.7f, 0}});
}

TEST_CASE("weak boxes take part in what is merged, and then do not count") {
  // The whole box is the weaker one.
  const Boxes left{{50, 10, 64, 20, 0.9f, 0}, {5, 5, 20, 20, 0.1f, 1}},
      right{{50, 10, 80, 20, 0.2f, 0}};
  const Boxes expected{{50, 10, 80, 20, 0.9f, 0}};
  CHECK(merged(left, right, {.confidence = 0.5f}) == expected);
  CHECK(merged(left, right, {.class_confidence = {0.5f, 0.3f}}) == expected);
  CHECK(merged(left, right, {.class_confidence = {0.95f, 0.05f}}) ==
        Boxes{{5, 5, 20, 20, 0.1f, 1}});
  CHECK(before_merging({.confidence = 0.5f}).confidence == 0.001f);
  CHECK(before_merging({.confidence = 0}).confidence == 0);
  CHECK(before_merging({.class_confidence = {0.5f, 0}}).class_confidence ==
        std::vector<float>{0.001f, 0});
}

TEST_CASE("nothing found stays nothing") { CHECK(merge_tiles({}, 10, 10, {}).empty()); }

namespace {

// The same tiles with what was found in the picture as a whole.
Boxes merged_with_whole(const Boxes& left, const Boxes& right, const Boxes& whole,
                        const DetectionOptions& options = {}) {
  const std::vector<TileDetections> tiles{{{.x = 0, .y = 0, .width = 64, .height = 64}, left},
                                          {{.x = 43, .y = 0, .width = 64, .height = 64}, right}};
  return merge_tiles(tiles, 107, 64, options, whole);
}

}  // namespace

TEST_CASE("the whole picture adds what no tile found, in its place by score") {
  CHECK(merged_with_whole({{5, 5, 15, 15, 0.9f, 0}}, {{70, 40, 80, 50, 0.3f, 0}},
                          {{2, 20, 105, 30, 0.5f, 0}}) ==
        Boxes{{5, 5, 15, 15, 0.9f, 0}, {2, 20, 105, 30, 0.5f, 0}, {70, 40, 80, 50, 0.3f, 0}});
}

TEST_CASE("boxes that are cut in every tile are parts of a whole one around them") {
  // Ends of a slanted scratch: each tile's box covers less than the whole one's part in it.
  const Boxes left{{2, 5, 63.5f, 20, 0.9f, 0}}, right{{43.5f, 30, 105, 40, 0.6f, 0}};
  const Boxes whole{{1, 4, 106, 41, 0.5f, 0}};
  CHECK(merged_with_whole(left, right, {}).size() == 2);
  CHECK(merged_with_whole(left, right, whole) == Boxes{{1, 4, 106, 41, 0.9f, 0}});
  // Of another class they are not, but with agnostic suppression.
  const Boxes other{{1, 4, 106, 41, 0.5f, 1}};
  CHECK(merged_with_whole(left, right, other).size() == 3);
  CHECK(merged_with_whole(left, right, other, {.suppression = "agnostic"}) ==
        Boxes{{1, 4, 106, 41, 0.9f, 1}});
}

TEST_CASE("of what a tile found whole its box stays, and small objects within a large one do") {
  // IoU 27 * 30 / (30 * 30 + 27 * 30 - 27 * 30) = 0.9.
  CHECK(merged_with_whole({{5, 5, 35, 35, 0.4f, 0}}, {}, {{5, 5, 32, 35, 0.8f, 0}}) ==
        Boxes{{5, 5, 35, 35, 0.8f, 0}});
  CHECK(merged_with_whole({{5, 5, 15, 15, 0.9f, 0}}, {}, {{0, 0, 107, 64, 0.8f, 0}}).size() == 2);
}
