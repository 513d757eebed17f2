#include "preprocess/likeness/look.h"

#include <doctest/doctest.h>

#include "preprocess/likeness/agreement.h"
#include "tests/preprocess/likeness/drawn_scene.h"

namespace letterpress {

TEST_CASE("a picture without contrast has no corner, and agrees with none") {
  DrawnPicture grey{200, 150, std::vector<std::uint8_t>(3 * 200 * 150, 90)};
  const Look none = look_at(grey.all());
  CHECK(none.empty());
  CHECK(agreeing_corners(none, look_at(drawn_scene(1).all())).corners == 0);
}

TEST_CASE("a bright square on a dark ground has its four corners, and few more") {
  DrawnPicture drawn{160, 120, std::vector<std::uint8_t>(3 * 160 * 120, 40)};
  for (int y = 40; y < 80; ++y)
    for (int x = 50; x < 110; ++x) std::fill_n(drawn.at(x, y), 3, std::uint8_t{200});
  const Look look = look_at(drawn.all());
  for (const auto& [x, y] : {std::pair{50, 40}, {110, 40}, {50, 80}, {110, 80}}) {
    CAPTURE(x);
    CAPTURE(y);
    CHECK(std::ranges::any_of(look, [&](const Corner& corner) {
      return corner.level == 0 && std::abs(corner.x - x) <= 2 && std::abs(corner.y - y) <= 2;
    }));
  }
  CHECK(look.size() == 4 * kLookLevels);
}

TEST_CASE("the padding around the part that is looked at has no say") {
  const DrawnPicture scene = drawn_scene(5);
  DrawnPicture framed{400, 300, std::vector<std::uint8_t>(3 * 400 * 300, 114)};
  for (int y = 0; y < scene.height; ++y)
    std::copy_n(scene.at(0, y), 3 * scene.width, framed.at(30, 40 + y));
  CHECK(look_at({framed.rgb, framed.width, 30, 40, scene.width, scene.height}) ==
        look_at(scene.all()));
}

TEST_CASE("photographs of one scene agree in many corners, those of two in few") {
  std::mt19937_64 engine(1);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const DrawnPicture scene = drawn_scene(seed), other = drawn_scene(seed + 100);
    const Look look = look_at(photograph(scene, engine).all());
    CHECK(agreeing_corners(look, look).corners >= 20);  // those of level 0 lie apart
    CHECK(agreeing_corners(look, look_at(photograph(other, engine).all())).corners < kAgreeing);
    CHECK(agreeing_corners(look, look_at(photograph(scene, engine).all())).corners >= 8);
  }
}

namespace {

// A picture of its own with a part of one kind on it: two crossed bars, one upon the other.
DrawnPicture picture_of_a_part(std::uint8_t ground, int left, int top) {
  DrawnPicture drawn{320, 240, std::vector<std::uint8_t>(3 * 320 * 240, ground)};
  const auto bar = [&](int x, int y, int width, int height, std::uint8_t level) {
    for (int j = y; j < y + height; ++j)
      for (int i = x; i < x + width; ++i) std::fill_n(drawn.at(i, j), 3, level);
  };
  bar(left + 22, top, 20, 60, 230);
  bar(left, top + 20, 64, 18, 230);
  bar(left + 26, top + 24, 12, 10, 20);
  return drawn;
}

}  // namespace

TEST_CASE("parts of one kind before other grounds agree within themselves, and are no scene") {
  const Look a = look_at(picture_of_a_part(120, 20, 30).all()),
             b = look_at(picture_of_a_part(80, 200, 140).all());
  const Agreement parts = agreeing_corners(a, b);
  CHECK(parts.corners >= kAgreeing);
  CHECK(parts.percent < 15);
  CHECK_FALSE(parts.is_of_one_scene());
  std::mt19937_64 engine(4);
  const DrawnPicture scene = drawn_scene(7);
  const Agreement scenes = agreeing_corners(look_at(photograph(scene, engine).all()),
                                            look_at(photograph(scene, engine).all()));
  CHECK(scenes.percent > 30);
  CHECK(scenes.is_of_one_scene());
}

TEST_CASE("where fewer corners agree than are asked for, their number is one less than that") {
  std::mt19937_64 engine(2);
  const DrawnPicture scene = drawn_scene(3);
  const Look a = look_at(photograph(scene, engine).all()),
             b = look_at(photograph(scene, engine).all()), other = look_at(drawn_scene(4).all());
  const int agreeing = agreeing_corners(a, b).corners;
  REQUIRE(agreeing >= kAgreeing);
  for (const int least : {0, 1, kAgreeing, agreeing})
    CHECK(agreeing_corners(a, b, least).corners == agreeing);
  CHECK(agreeing_corners(a, b, agreeing + 1).corners == agreeing);
  CHECK(agreeing_corners(a, other, kAgreeing).corners == kAgreeing - 1);
}

TEST_CASE("pictures of a pixel or a line have a look, too") {
  for (const auto& [width, height] : {std::pair{1, 1}, {500, 1}, {1, 700}, {3, 2}}) {
    CAPTURE(width);
    const DrawnPicture picture{
        width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), 7)};
    CHECK(look_at(picture.all()).empty());
  }
}

}  // namespace letterpress
