// TIFFs whose numbers or alpha mean something else than usual. The files are made by hand, by TIFF
// 6.0.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "preprocess/pictures/picture.h"
#include "tests/contains.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

void add(std::string& text, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xFF);
}

struct Tiff {
  std::uint32_t width = 2, bits = 8, photometric = 1, samples = 1, extra = 0;
  std::uint32_t next = 0;  // where the next directory is
  bool big = false;        // BigTIFF
};

using Entries = std::vector<std::vector<std::uint32_t>>;  // tag, type, value

// A BigTIFF's counts and offsets have 64 bits, and its entries hold up to four SHORTs.
std::string directory(const Tiff& of, const Entries& entries, std::uint32_t bits_at) {
  const int word = of.big ? 8 : 4;
  const auto add_word = [&](std::string& text, std::uint32_t value) {
    add(text, value, 4);
    if (of.big) add(text, 0, 4);
  };
  std::string text;
  add(text, static_cast<std::uint32_t>(entries.size()), 2);
  if (of.big) add(text, 0, 6);
  for (const auto& entry : entries) {
    const bool several = entry[0] == 258 && of.samples > 1;
    add(text, entry[0], 2);
    add(text, entry[1], 2);
    add_word(text, several ? of.samples : 1);
    if (several && of.big) {
      for (int i = 0; i < 4; ++i) add(text, i < static_cast<int>(of.samples) ? of.bits : 0, 2);
    } else {
      add(text, several ? bits_at : entry[2], 4);
      if (word == 8) add(text, 0, 4);
    }
  }
  add_word(text, of.next);
  return text;
}

// Little-endian; bits that are no whole bytes from the highest of each byte on (FillOrder 1).
std::string stored(const std::vector<std::uint32_t>& values, std::uint32_t bits) {
  std::string text;
  if (bits % 8 == 0) {
    for (const std::uint32_t value : values) add(text, value, static_cast<int>(bits / 8));
    return text;
  }
  text.resize((values.size() * bits + 7) / 8);
  std::size_t at = 0;
  for (const std::uint32_t value : values) {
    for (std::uint32_t bit = bits; bit-- > 0; ++at)
      text[at / 8] = static_cast<char>(text[at / 8] | (value >> bit & 1) << (7 - at % 8));
  }
  return text;
}

// One row in one strip of `samples` values per pixel.
std::string tiff(const Tiff& of, const std::vector<std::uint32_t>& values) {
  Entries entries{{256, 4, of.width},
                  {257, 4, 1},
                  {258, 3, of.bits},
                  {259, 3, 1},
                  {262, 3, of.photometric},
                  {273, 4, 0},
                  {277, 3, of.samples},
                  {278, 4, 1},
                  {279, 4, 0}};
  if (of.extra) entries.push_back({338, 3, of.extra});
  std::string text = of.big ? std::string("II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0", 16)
                            : std::string("II*\0\x08\0\0\0", 8);
  const auto bits_at = static_cast<std::uint32_t>(text.size() + directory(of, entries, 0).size());
  const std::uint32_t pixels_at = bits_at + 8;
  entries[5][2] = pixels_at;
  const std::string pixels = stored(values, of.bits);
  entries[8][2] = static_cast<std::uint32_t>(pixels.size());
  text += directory(of, entries, bits_at);
  for (int i = 0; i < 4; ++i) add(text, of.bits, 2);
  return text + pixels;
}

bool holds_several(const std::string& content) {
  const auto info = probe(std::as_bytes(std::span(content)), "a.tiff", {});
  REQUIRE(info);
  return info->several;
}

std::vector<int> decoded(const std::string& content, Depth depth = Depth::bits16) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(content.data()),
                                         content.size());
  const auto info = probe(bytes, "a.tiff", {.depth = depth});
  REQUIRE(info);
  Picture picture;
  const auto reject = decode(bytes, *info, 1, "a.tiff", picture);
  CHECK((reject ? to_string(*reject) : "") == "");
  return {picture.rgb.begin(), picture.rgb.end()};
}

}  // namespace

#ifdef LETTERPRESS_IMGCODECS
// Pillow refuses it with the same words.
TEST_CASE("a TIFF whose pixels cannot be decoded is rejected, not stored black") {
  std::string content = golden("pictures/two_pages.tiff");  // LZW, its strip begins at byte 8
  content[108] = static_cast<char>(~content[108]);
  content[109] = static_cast<char>(~content[109]);
  const auto bytes = std::as_bytes(std::span(content));
  const auto info = probe(bytes, "a.tiff", {});
  REQUIRE(info);
  Picture picture;
  for (int again = 0; again < 2; ++again) {
    const auto reject = decode(bytes, *info, 1, "a.tiff", picture);
    REQUIRE(reject);
    CHECK(contains(to_string(*reject), "Using code not yet in table"));
  }
  const std::string whole = golden("pictures/two_pages.tiff");
  CHECK_FALSE(decode(std::as_bytes(std::span(whole)), *info, 1, "a.tiff", picture));
}

TEST_CASE("levels of a TIFF in which 0 is white are inverted, of 8 bits and of 16") {
  CHECK(decoded(tiff({.photometric = 1}, {0, 200})) == std::vector<int>{0, 0, 0, 200, 200, 200});
  CHECK(decoded(tiff({.photometric = 0}, {0, 200})) == std::vector<int>{255, 255, 255, 55, 55, 55});
  // 51400 is 200 * 257; 65535 - 51400 is 55 * 257.
  CHECK(decoded(tiff({.bits = 16, .photometric = 1}, {0, 51400})) ==
        std::vector<int>{0, 0, 0, 200, 200, 200});
  CHECK(decoded(tiff({.bits = 16, .photometric = 0}, {0, 51400})) ==
        std::vector<int>{255, 255, 255, 55, 55, 55});
}

// Levels as they are stored, not as OpenCV moves them to the top of 16 bits. By hand: 1000 of 4095
// is 62.3 of 255, 4000 of 65535 is 15.6, 1000 of 1023 is 249.3.
TEST_CASE("a TIFF of 10, 12 or 14 bits has the levels that it would have in 16") {
  const auto grey = [](std::uint32_t bits, const std::vector<std::uint32_t>& values, Depth depth) {
    const auto width = static_cast<std::uint32_t>(values.size());
    std::vector<int> levels;
    const std::vector<int> rgb = decoded(tiff({.width = width, .bits = bits}, values), depth);
    for (std::size_t i = 0; i < rgb.size(); i += 3) levels.push_back(rgb[i]);
    return levels;
  };
  for (const std::uint32_t bits : {12u, 16u}) {
    CHECK(grey(bits, {0, 1000, 2000, 4095}, Depth::bits12) == std::vector<int>{0, 62, 125, 255});
    CHECK(grey(bits, {0, 100, 255, 300}, Depth::bits8) == std::vector<int>{0, 100, 255, 255});
  }
  for (const std::uint32_t bits : {14u, 16u})
    CHECK(grey(bits, {0, 4000, 16383, 8000}, Depth::bits16) == std::vector<int>{0, 16, 64, 31});
  CHECK(grey(10, {0, 1000, 1023, 512}, Depth::minmax) == std::vector<int>{0, 249, 255, 128});
  CHECK(decoded(tiff({.bits = 12, .photometric = 0}, {4095, 3095}), Depth::bits12) ==
        std::vector<int>{0, 0, 0, 62, 62, 62});
  const Tiff rgb{.bits = 12, .photometric = 2, .samples = 3};
  CHECK(decoded(tiff(rgb, {4095, 1000, 0, 0, 2000, 4095}), Depth::bits12) ==
        std::vector<int>{255, 62, 0, 0, 125, 255});
}

TEST_CASE("TIFFs of L*a*b* colours are rejected: their white would be yellow") {
  for (const std::uint32_t photometric : {8u, 9u, 10u}) {
    const std::string lab = tiff({.photometric = photometric, .samples = 3}, {255, 0, 0, 9, 9, 9});
    const auto info = probe(std::as_bytes(std::span(lab)), "a.tiff", {});
    REQUIRE_FALSE(info);
    CHECK(to_string(info.reject()) ==
          "a.tiff: is a TIFF of L*a*b* colours, which are not read; convert it to RGB");
  }
}

// BITMAPINFOHEADER, then three masks: 32 bits a pixel, one pixel.
TEST_CASE("a BMP whose channels are elsewhere than blue, green, red is rejected") {
  const auto bmp = [](std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    std::string text = "BM";
    for (const std::uint32_t value : {70u, 0u, 66u, 40u, 1u, 1u}) add(text, value, 4);
    add(text, 1, 2);
    add(text, 32, 2);
    for (const std::uint32_t value : {3u, 4u, 0u, 0u, 0u, 0u, red, green, blue, 0xFF3264C8u})
      add(text, value, 4);
    return text;
  };
  CHECK(decoded(bmp(0xFF0000, 0xFF00, 0xFF)) == std::vector<int>{0x32, 0x64, 0xC8});
  for (const std::string& other :
       {bmp(0xFF, 0xFF00, 0xFF0000), bmp(0xFF000000, 0xFF0000, 0xFF00)}) {
    const auto info = probe(std::as_bytes(std::span(other)), "a.bmp", {});
    REQUIRE_FALSE(info);
    CHECK(to_string(info.reject()) ==
          "a.bmp: is a BMP whose channels are not blue, green, red, as its masks say; save it as "
          "PNG");
  }
}

TEST_CASE("alpha of a TIFF is dropped, whatever its header calls it: colours stay as stored") {
  for (const std::uint32_t extra : {1u, 2u}) {
    CAPTURE(extra);
    const Tiff rgba{.photometric = 2, .samples = 4, .extra = extra};
    CHECK(decoded(tiff(rgba, {200, 100, 50, 128, 10, 20, 30, 0})) ==
          std::vector<int>{200, 100, 50, 10, 20, 30});
  }
}

TEST_CASE("a BigTIFF is read as a TIFF is") {
  CHECK(decoded(tiff({.photometric = 1, .big = true}, {0, 200})) ==
        std::vector<int>{0, 0, 0, 200, 200, 200});
  CHECK(decoded(tiff({.photometric = 2, .samples = 3, .big = true}, {200, 100, 50, 10, 20, 30})) ==
        std::vector<int>{200, 100, 50, 10, 20, 30});
  const Tiff rgba{.photometric = 2, .samples = 4, .extra = 2, .big = true};
  CHECK(decoded(tiff(rgba, {200, 100, 50, 128, 10, 20, 30, 0})) ==
        std::vector<int>{200, 100, 50, 10, 20, 30});
  CHECK_FALSE(holds_several(tiff({.big = true}, {0, 200})));
}

TEST_CASE("a BigTIFF cut within its directory, or with a count of 2^32, is a cut TIFF") {
  const std::string whole = tiff({.big = true}, {0, 200});
  for (std::size_t size = 4; size < 16 + 8 + 20 * 9; ++size) {
    CAPTURE(size);
    const std::string part = whole.substr(0, size);
    const auto info = probe(std::as_bytes(std::span(part)), "a.tiff", {});
    if (info) continue;  // what is missing has a default
    CHECK(to_string(info.reject()) == "a.tiff: TIFF header cut or damaged within its " +
                                          std::to_string(size) +
                                          " bytes; copy the file again, or remove it");
  }
  std::string huge = whole;
  huge[20] = 1;  // of the number of entries
  const auto info = probe(std::as_bytes(std::span(huge)), "a.tiff", {});
  REQUIRE_FALSE(info);
  CHECK(info.reject().what.starts_with("TIFF header cut or damaged"));
}

TEST_CASE("pages behind the first are told, smaller copies and masks are none") {
  for (const bool big : {false, true}) {
    CAPTURE(big);
    const std::string alone = tiff({.big = big}, {0, 200});
    const auto end = static_cast<std::uint32_t>(alone.size());
    const std::string first = tiff({.next = end, .big = big}, {0, 200});
    CHECK_FALSE(holds_several(alone));
    const auto then = [&](std::uint32_t kind) {
      return first + directory({.big = big}, {{254, 4, kind}, {256, 4, 1}, {257, 4, 1}}, 0);
    };
    CHECK(holds_several(then(0)));
    CHECK(holds_several(then(2)));  // a page of several
    CHECK_FALSE(holds_several(then(1)));
    CHECK_FALSE(holds_several(then(4)));
    CHECK(holds_several(first + directory({.big = big}, {{256, 4, 1}}, 0)));  // 0 is the default
    CHECK(decoded(then(0)) == std::vector<int>{0, 0, 0, 200, 200, 200});
    // A directory that leads back to itself ends the search.
    CHECK_FALSE(holds_several(first + directory({.next = end, .big = big}, {{254, 4, 1}}, 0)));
    CHECK_FALSE(holds_several(first));  // a page that is cut off
  }
}
#endif

}  // namespace letterpress
