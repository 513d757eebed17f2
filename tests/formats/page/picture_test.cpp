#include "letterpress/page/picture.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

#include "letterpress/page/png.h"
#include "tests/contains.h"

using namespace letterpress;

namespace {

/// Width and height in the header of the PNG that a page holds (PNG, 11.2.1: bytes 16 to 23).
std::pair<int, int> embedded_size(const std::string& svg) {
  const std::string start = "data:image/png;base64,";
  const std::string base64 = svg.substr(svg.find(start) + start.size(), 32);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (std::size_t i = 0; i < 32; i += 4) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k)
      bits = bits << 6 | static_cast<std::uint32_t>(digits.find(base64[i + k]));
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 255);
  }
  const auto number = [&](std::size_t at) {
    return static_cast<unsigned char>(bytes[at + 2]) << 8 |
           static_cast<unsigned char>(bytes[at + 3]);
  };
  return {number(16), number(20)};
}

}  // namespace

TEST_CASE(
    "a picture is embedded with at most 320 pixels a side, and its boxes are drawn over it in its "
    "own pixels") {
  const std::vector<std::uint8_t> rgb(3 * 640 * 640, 9);
  const std::string svg = picture_svg(
      rgb, 640, {{{10, 20, 110, 70}, 7, "a<b"}, {{10, 20, 100, 70}, 1, "found 0.91", true}});
  CHECK(embedded_size(svg) == std::pair(320, 320));
  CHECK(contains(svg, "<svg viewBox=\"0 0 640 640\">"));
  CHECK(contains(
      svg,
      "x=\"10.0\" y=\"20.0\" width=\"100.0\" height=\"50.0\" class=\"box b1\"><title>a&lt;b "
      "100 × 50</title>"));
  CHECK(contains(svg, "class=\"box b1 found\"><title>found 0.91 90 × 50</title>"));
  CHECK(embedded_size(picture_svg(std::vector<std::uint8_t>(3 * 32 * 32), 32, {})) ==
        std::pair(32, 32));
}

TEST_CASE("bytes that do not fit the size are a bug of the caller") {
  CHECK_THROWS_WITH_AS(encode_png(std::vector<std::uint8_t>(11), 2, 2),
                       "encode_png: 11 bytes are not 2 x 2 x 3", std::logic_error);
}
