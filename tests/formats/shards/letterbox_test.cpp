#include "letterpress/shards/letterbox.h"

#include <doctest/doctest.h>

#include <vector>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

// The conventions of three systems, from their repositories' documentation: keras-yolo3 (qqwweee,
// MIT), the half-rounding centred one of most later tools, YOLOX (Megvii, Apache-2.0).
const LetterboxRule kKeras{.rounding = LetterboxRule::Rounding::truncate,
                           .fill = 128,
                           .resize = LetterboxRule::Resize::cubic};
const LetterboxRule kNearest{};
const LetterboxRule kTopLeft{.rounding = LetterboxRule::Rounding::truncate,
                             .place = LetterboxRule::Alignment::top_left};

struct Case {
  LetterboxRule rule;
  int source_width, source_height, side, width, height, x, y;
};

}  // namespace

TEST_CASE("pictures lie where each convention puts them") {
  // By hand: 500 x 334 in 416: scale 416 / 500 = .832, height 277.888. 1280 x 720 in 640: 640 x
  // 360.
  const std::vector<Case> cases{
      {kKeras, 500, 334, 416, 416, 277, 0, 69},     {kNearest, 500, 334, 416, 416, 278, 0, 69},
      {kTopLeft, 500, 334, 416, 416, 277, 0, 0},    {kKeras, 333, 500, 416, 277, 416, 69, 0},
      {kNearest, 1280, 720, 640, 640, 360, 0, 140}, {kTopLeft, 720, 1280, 640, 360, 640, 0, 0},
      {kKeras, 100, 50, 416, 416, 208, 0, 104},     {kNearest, 640, 480, 416, 416, 312, 0, 52},
      {kNearest, 416, 416, 416, 416, 416, 0, 0}};
  for (const Case& wanted : cases) {
    CAPTURE(wanted.source_width);
    CAPTURE(wanted.source_height);
    const Letterbox got =
        letterbox(wanted.source_width, wanted.source_height, wanted.side, wanted.rule);
    CHECK(got.width == wanted.width);
    CHECK(got.height == wanted.height);
    CHECK(got.x == wanted.x);
    CHECK(got.y == wanted.y);
  }
}

TEST_CASE("a half is rounded to even, as Python does") {
  CHECK(letterbox(64, 5, 32, kNearest).height == 2);  // 2.5
  CHECK(letterbox(64, 7, 32, kNearest).height == 4);  // 3.5
}

TEST_CASE("shrink never enlarges") {
  const LetterboxRule rule{.scale = LetterboxRule::Scale::shrink};
  const Letterbox small = letterbox(100, 50, 416, rule);
  CHECK(small.width == 100);
  CHECK(small.x == 158);
  CHECK(small.y == 183);
  CHECK(letterbox(1280, 720, 640, rule).height == 360);
}

TEST_CASE("nothing is thinner than a pixel or wider than the frame") {
  CHECK(letterbox(10'000, 1, 32, kKeras).height == 1);
  for (int width = 1; width < 700; width += 3) {
    CAPTURE(width);
    CHECK(letterbox(width, 333, 416, kNearest).width <= 416);
    CHECK(letterbox(width, 333, 416, kNearest).height <= 416);
  }
}

TEST_CASE("the map takes the picture's corners to the corners of its place") {
  const Letterbox box = letterbox(500, 334, 416, kNearest);
  const auto first = apply(box.source_to_frame, 0, 0), last = apply(box.source_to_frame, 500, 334);
  CHECK(first == std::array<double, 2>{0, 69});
  CHECK(last[0] == doctest::Approx(416));
  CHECK(last[1] == doctest::Approx(69 + 278));
}

TEST_CASE("a picture's place is found again from the map that its row stores in float") {
  for (const LetterboxRule& rule : {kKeras, kNearest, kTopLeft}) {
    for (const auto& [width, height] :
         {std::pair{500, 334}, {33, 416}, {1, 977}, {4000, 3}, {415, 417}}) {
      const Letterbox box = letterbox(width, height, 416, rule);
      Affine stored = box.source_to_frame;
      for (double& value : stored.m) value = static_cast<float>(value);
      const Letterbox again = letterbox_of(stored, width, height, 416);
      CHECK(std::array{again.x, again.y, again.width, again.height} ==
            std::array{box.x, box.y, box.width, box.height});
    }
  }
}

TEST_CASE("maps are composed right to left and inverted") {
  const Affine scale{{2, 0, 0, 0, 3, 0}}, shift{{1, 0, 10, 0, 1, 20}},
      shear{{1, 0.5, 0, 0.25, 1, 7}};
  CHECK(apply(shift * scale, 1, 1) == std::array<double, 2>{12, 23});
  CHECK(apply(scale * shift, 1, 1) == std::array<double, 2>{22, 63});
  const Affine map = shear * shift * scale;
  const auto there = apply(map, 5, -3), back = apply(inverse(map), there[0], there[1]);
  CHECK(back[0] == doctest::Approx(5));
  CHECK(back[1] == doctest::Approx(-3));
  CHECK_THROWS_WITH_AS(inverse(Affine{{1, 2, 0, 2, 4, 0}}),
                       doctest::Contains("with determinant 0.000000 has no inverse"), Error);
}

TEST_CASE("sizes that cannot be are refused with their numbers") {
  CHECK_THROWS_WITH_AS(
      letterbox(0, 5, 416, {}),
      "letterbox: a picture of 0x5 in a frame of side 416, all three must be at least 1", Error);
}

TEST_CASE("a rule goes to JSON and back") {
  CHECK(to_json(LetterboxRule{}) ==
        R"({"scale":"fit","rounding":"nearest","place":"centre","fill":114,"resize":"linear"})");
  for (const LetterboxRule& rule :
       {kKeras, kNearest, kTopLeft,
        LetterboxRule{.scale = LetterboxRule::Scale::shrink, .fill = 0}}) {
    CHECK(letterbox_rule_from_json(to_json(rule)) == rule);
  }
}

TEST_CASE("a rule that is not one names the field and what it may be") {
  const auto message = [](const std::string& text) {
    try {
      letterbox_rule_from_json(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message("{}") == "letterbox rule: scale is missing, must be fit or shrink");
  CHECK(message(R"({"scale":"big"})") == "letterbox rule: scale is \"big\", must be fit or shrink");
  CHECK(message(R"({"scale":"fit","rounding":3})") ==
        "letterbox rule: rounding is 3, must be nearest or truncate");
  const std::string start = R"({"scale":"fit","rounding":"nearest","place":"centre",)";
  CHECK(message(start + R"("fill":256,"resize":"linear"})") ==
        "letterbox rule: fill is 256, must be 0..255");
  CHECK(message(start + R"("fill":1.5,"resize":"linear"})") ==
        "letterbox rule: fill is 1.5, must be 0..255");
  CHECK(message(start + R"("fill":1e99,"resize":"linear"})") ==
        "letterbox rule: fill is 1e+99, must be 0..255");
  CHECK(message(start + R"("resize":"linear"})") ==
        "letterbox rule: fill is missing, must be 0..255");
  CHECK(
      message("[").starts_with("letterbox rule: '[' is not a JSON object like {\"scale\":\"fit\""));
}
