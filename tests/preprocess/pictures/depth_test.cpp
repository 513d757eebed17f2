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

TEST_CASE("levels become the bytes computed by hand") {
  const std::vector<std::uint16_t> levels{0, 1, 128, 255, 256, 1000, 4095, 4096, 32768, 65535};
  CHECK(narrowed(levels, Depth::bits8) ==
        std::vector<int>{0, 1, 128, 255, 255, 255, 255, 255, 255, 255});
  CHECK(narrowed(levels, Depth::bits12) ==
        std::vector<int>{0, 0, 8, 16, 16, 62, 255, 255, 255, 255});
  CHECK(narrowed(levels, Depth::bits16) == std::vector<int>{0, 0, 0, 1, 1, 4, 16, 16, 128, 255});
  CHECK(narrowed({300, 400, 800}, Depth::minmax) == std::vector<int>{0, 51, 255});
  CHECK(narrowed({7, 7}, Depth::minmax) == std::vector<int>{0, 0});
  CHECK(narrowed({}, Depth::minmax).empty());
}

TEST_CASE("a depth is one of four words") {
  for (const char* text : {"", "8", "12", "16", "minmax"})
    CHECK(to_string(parse_depth(text)) == text);
  CHECK_THROWS_WITH_AS(parse_depth("14"),
                       "--depth 14: must be 8, 12, 16 or minmax: which levels of 16-bit pictures "
                       "become black and white",
                       Error);
}

// deep.png: 8 x 8, grey, levels 0, 1000, ... 63000, written by Pillow.
TEST_CASE("a 16-bit PNG is decoded as its depth says, and not without one") {
  const std::string content = golden("pictures/deep.png");
  struct Case {
    Depth depth;
    std::array<int, 3> wanted;  // of levels 1000, 3000, 63000
  };
  for (const Case& c : {Case{Depth::bits8, {255, 255, 255}}, Case{Depth::bits12, {62, 187, 255}},
                        Case{Depth::bits16, {4, 12, 245}}, Case{Depth::minmax, {4, 12, 255}}}) {
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
  CHECK(reject->what ==
        "cannot be decoded: 16 bits per channel, and no --depth says which of them matter");
}

std::vector<int> decoded(const std::string& name, Depth depth, bool alpha = false) {
  const std::string content = golden("pictures/" + name);
  const auto info = probe(bytes_of(content), name, {.depth = depth});
  REQUIRE(info);
  CHECK(info->bit_depth == 16);
  CHECK(info->alpha == alpha);
  Picture picture;
  REQUIRE_FALSE(decode(bytes_of(content), *info, 1, name, picture));
  return {picture.rgb.begin(), picture.rgb.end()};
}

// deep_rgb: levels 0 1000 3000, 255 256 4095, 4096 32768 65535, 100 200 300; bytes by hand, level *
// 255 / 4095 and / 65535.
TEST_CASE("the channels of 16-bit colours keep their order, in PNG and in TIFF") {
  std::vector<std::string> names{"deep_rgb.png"};
#ifdef LETTERPRESS_IMGCODECS
  names.push_back("deep_rgb.tiff");
#endif
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(decoded(name, Depth::bits8) ==
          std::vector<int>{0, 255, 255, 255, 255, 255, 255, 255, 255, 100, 200, 255});
    CHECK(decoded(name, Depth::bits12) ==
          std::vector<int>{0, 62, 187, 16, 16, 255, 255, 255, 255, 6, 12, 19});
    CHECK(decoded(name, Depth::bits16) ==
          std::vector<int>{0, 4, 12, 1, 1, 16, 16, 128, 255, 0, 1, 1});
    CHECK(decoded(name, Depth::minmax) ==
          decoded(name, Depth::bits16));  // its levels are 0 to 65535
  }
}

// deep_rgba.png: 1000 1500 2000 and 3000 2500 2000, alpha 0 and 65535.
TEST_CASE("alpha of 16 bits is dropped: it darkens nothing, and minmax ignores its levels") {
  CHECK(decoded("deep_rgba.png", Depth::bits12, true) ==
        std::vector<int>{62, 93, 125, 187, 156, 125});
  CHECK(decoded("deep_rgba.png", Depth::minmax, true) ==
        std::vector<int>{0, 64, 128, 255, 191, 128});
}

#ifdef LETTERPRESS_IMGCODECS
TEST_CASE(
    "a grey TIFF of 16 bits decodes as the PNG with the same levels, and is rejected without a "
    "depth") {
  for (const Depth depth : {Depth::bits8, Depth::bits12, Depth::bits16, Depth::minmax}) {
    CAPTURE(to_string(depth));
    CHECK(decoded("deep.tiff", depth) == decoded("deep.png", depth));
  }
  const std::string content = golden("pictures/deep.tiff");
  const auto info = probe(bytes_of(content), "deep.tiff");
  REQUIRE_FALSE(info);
  CHECK(to_string(info.reject()) ==
        "deep.tiff: TIFF with 16 bits per channel, must be 8; say with --depth 8, 12, 16 or minmax "
        "which of its levels matter");
}
#endif

TEST_CASE("a depth does not change pictures of 8 bits") {
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
