#include "preprocess/pictures/depth.h"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "letterpress/base/error.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

std::vector<int> narrowed(const std::vector<std::uint16_t>& levels, Depth depth) {
  std::vector<std::uint8_t> bytes(levels.size());
  narrow(levels, depth, bytes.data());
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("levels become bytes as by hand") {
  const std::vector<std::uint16_t> levels{0, 1, 128, 255, 256, 1000, 4095, 4096, 32768, 65535};
  CHECK(narrowed(levels, Depth::bits8) == std::vector<int>{0, 1, 128, 255, 255, 255, 255, 255, 255, 255});
  CHECK(narrowed(levels, Depth::bits12) == std::vector<int>{0, 0, 8, 16, 16, 62, 255, 255, 255, 255});
  CHECK(narrowed(levels, Depth::bits16) == std::vector<int>{0, 0, 0, 1, 1, 4, 16, 16, 128, 255});
  CHECK(narrowed({300, 400, 800}, Depth::minmax) == std::vector<int>{0, 51, 255});
  CHECK(narrowed({7, 7}, Depth::minmax) == std::vector<int>{0, 0});
  CHECK(narrowed({}, Depth::minmax).empty());
}

TEST_CASE("a depth is one of four words") {
  for (const char* text : {"", "8", "12", "16", "minmax"}) CHECK(to_string(parse_depth(text)) == text);
  CHECK_THROWS_WITH_AS(parse_depth("14"), "--depth 14: wanted 8, 12, 16 or minmax: which levels of 16-bit pictures become black and white",
                       Error);
}

// deep.png: 8 x 8, grey, levels 0, 1000, ... 63000, written by Pillow.
TEST_CASE("a 16-bit PNG is decoded as its depth says, and not without one") {
  const std::string content = golden("pictures/deep.png");
  struct Case {
    Depth depth;
    std::array<int, 3> wanted;  // of levels 1000, 3000, 63000
  };
  for (const Case& c : {Case{Depth::bits8, {255, 255, 255}}, Case{Depth::bits12, {62, 187, 255}}, Case{Depth::bits16, {4, 12, 245}},
                        Case{Depth::minmax, {4, 12, 255}}}) {
    CAPTURE(to_string(c.depth));
    const auto info = probe(bytes_of(content), "deep.png", {.depth = c.depth});
    REQUIRE(info);
    CHECK(info->bit_depth == 16);
    Picture picture;
    REQUIRE_FALSE(decode(bytes_of(content), *info, 1, "deep.png", picture));
    REQUIRE(picture.rgb.size() == 192);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      CHECK(picture.rgb[0 + channel] == 0);
      CHECK(static_cast<int>(picture.rgb[3 * 1 + channel]) == c.wanted[0]);
      CHECK(static_cast<int>(picture.rgb[3 * 3 + channel]) == c.wanted[1]);
      CHECK(static_cast<int>(picture.rgb[3 * 63 + channel]) == c.wanted[2]);
    }
  }
  PictureInfo unset{.format = PictureFormat::png, .width = 8, .height = 8, .bit_depth = 16};
  Picture picture;
  const auto reject = decode(bytes_of(content), unset, 1, "deep.png", picture);
  REQUIRE(reject);
  CHECK(reject->what == "cannot be decoded: 16 bits per channel, and nobody has said which of them matter");
}

TEST_CASE("a depth changes no picture of 8 bits") {
  const std::string content = golden("pictures/rgb.png");
  std::vector<std::uint8_t> first;
  for (const Depth depth : {Depth::unset, Depth::bits12, Depth::minmax}) {
    const auto info = probe(bytes_of(content), "rgb.png", {.depth = depth});
    REQUIRE(info);
    Picture picture;
    REQUIRE_FALSE(decode(bytes_of(content), *info, 1, "rgb.png", picture));
    if (first.empty()) first = picture.rgb;
    CHECK(picture.rgb == first);
  }
}

}  // namespace
}  // namespace letterpress
