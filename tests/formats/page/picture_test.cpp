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
  CHECK(contains(svg,
                 "x=\"10.0\" y=\"20.0\" width=\"100.0\" height=\"50.0\" class=\"box\" "
                 "stroke=\"#44ff3c\"><title>a&lt;b "
                 "100 × 50</title>"));
  CHECK(contains(svg, "class=\"box found\" stroke=\"#3c75ff\"><title>found 0.91 90 × 50</title>"));
  CHECK(contains(svg, "fill:#44ff3c\">a&lt;b</text>"));
  CHECK(embedded_size(picture_svg(std::vector<std::uint8_t>(3 * 32 * 32), 32, {})) ==
        std::pair(32, 32));
}

TEST_CASE("names are left out where they would cover the picture; the key has classes by colour") {
  const std::vector<std::uint8_t> rgb(3 * 64 * 64, 9);
  const std::vector<PageBox> few(10, {{10, 20, 30, 40}, 0, "cell"}), many(11, few.front());
  CHECK(contains(picture_svg(rgb, 64, few), ">cell</text>"));
  CHECK(!contains(picture_svg(rgb, 64, many), "<text"));
  CHECK(contains(picture_svg(rgb, 64, many), "<title>cell 20 × 20</title>"));
  const std::string key = class_key({"cat", "<dog>", "emu"}, 2);
  CHECK(contains(key, "style=\"fill:#ff3c3c\"/></svg>cat<"));
  CHECK(contains(key, "style=\"fill:#3c75ff\"/></svg>&lt;dog&gt;<"));
  CHECK(contains(key, "and 1 more classes"));
  CHECK(!contains(key, "emu"));
}

TEST_CASE("a PNG may name the program that made it, and says so in its first bytes") {
  const std::vector<std::uint8_t> pixels(12);
  const auto png = encode_png(pixels, 2, 2, PngEffort::small, "a program");
  const std::string bytes(reinterpret_cast<const char*>(png.data()), png.size());
  CHECK(software_of_png(bytes) == "a program");
  // Behind the signature and IHDR, 33 bytes: length, kind, keyword with its zero, text.
  CHECK(bytes.substr(33, 26) == std::string("\0\0\0\x12tEXtSoftware\0a program", 26));
  for (std::size_t size = 0; size < 59; ++size) CHECK(software_of_png(bytes.substr(0, size)) == "");
  CHECK(software_of_png("GIF89a" + bytes) == "");
  const auto unnamed = encode_png(pixels, 2, 2);
  CHECK(software_of_png({reinterpret_cast<const char*>(unnamed.data()), unnamed.size()}) == "");
}

TEST_CASE("bytes that do not fit the size are a bug of the caller") {
  CHECK_THROWS_WITH_AS(encode_png(std::vector<std::uint8_t>(11), 2, 2),
                       "encode_png: 11 bytes are not 2 x 2 x 3", std::logic_error);
}
