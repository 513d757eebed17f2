// TIFFs whose numbers or alpha mean something else than usual. The files are made by hand, by TIFF
// 6.0.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "preprocess/pictures/picture.h"

namespace letterpress {
namespace {

void add(std::string& text, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

struct Tiff {
  std::uint32_t width = 2, bits = 8, photometric = 1, samples = 1, extra = 0;
};

// Little-endian, one row in one strip of `samples` values per pixel.
std::string tiff(const Tiff& of, const std::vector<std::uint32_t>& values) {
  std::vector<std::vector<std::uint32_t>> entries{{256, 4, of.width},
                                                  {257, 4, 1},
                                                  {258, 3, of.bits},
                                                  {259, 3, 1},
                                                  {262, 3, of.photometric},
                                                  {273, 4, 0},
                                                  {277, 3, of.samples},
                                                  {278, 4, 1},
                                                  {279, 4, 0}};
  if (of.extra) entries.push_back({338, 3, of.extra});
  const auto bits_at = static_cast<std::uint32_t>(8 + 2 + 12 * entries.size() + 4);
  const std::uint32_t pixels_at = bits_at + 8;
  entries[5][2] = pixels_at;
  entries[8][2] = static_cast<std::uint32_t>(values.size()) * of.bits / 8;
  std::string text("II*\0\x08\0\0\0", 8);
  add(text, static_cast<std::uint32_t>(entries.size()), 2);
  for (const auto& entry : entries) {
    const bool several = entry[0] == 258 && of.samples > 1;
    add(text, entry[0], 2);
    add(text, entry[1], 2);
    add(text, several ? of.samples : 1, 4);
    add(text, several ? bits_at : entry[2], 4);
  }
  add(text, 0, 4);
  for (int i = 0; i < 4; ++i) add(text, of.bits, 2);
  for (const std::uint32_t value : values) add(text, value, static_cast<int>(of.bits / 8));
  return text;
}

std::vector<int> decoded_tiff(const std::string& content) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(content.data()),
                                         content.size());
  const auto info = probe(bytes, "a.tiff", {.depth = Depth::bits16});
  REQUIRE(info);
  Picture picture;
  const auto reject = decode(bytes, *info, 1, "a.tiff", picture);
  CHECK((reject ? to_string(*reject) : "") == "");
  return {picture.rgb.begin(), picture.rgb.end()};
}

}  // namespace

#ifdef LETTERPRESS_IMGCODECS
TEST_CASE("levels of a TIFF in which 0 is white are inverted, of 8 bits and of 16") {
  CHECK(decoded_tiff(tiff({.photometric = 1}, {0, 200})) ==
        std::vector<int>{0, 0, 0, 200, 200, 200});
  CHECK(decoded_tiff(tiff({.photometric = 0}, {0, 200})) ==
        std::vector<int>{255, 255, 255, 55, 55, 55});
  // 51400 is 200 * 257; 65535 - 51400 is 55 * 257.
  CHECK(decoded_tiff(tiff({.bits = 16, .photometric = 1}, {0, 51400})) ==
        std::vector<int>{0, 0, 0, 200, 200, 200});
  CHECK(decoded_tiff(tiff({.bits = 16, .photometric = 0}, {0, 51400})) ==
        std::vector<int>{255, 255, 255, 55, 55, 55});
}

TEST_CASE("alpha of a TIFF is dropped, whatever its header calls it: colours stay as stored") {
  for (const std::uint32_t extra : {1u, 2u}) {
    CAPTURE(extra);
    const Tiff rgba{.photometric = 2, .samples = 4, .extra = extra};
    CHECK(decoded_tiff(tiff(rgba, {200, 100, 50, 128, 10, 20, 30, 0})) ==
          std::vector<int>{200, 100, 50, 10, 20, 30});
  }
}
#endif

}  // namespace letterpress
