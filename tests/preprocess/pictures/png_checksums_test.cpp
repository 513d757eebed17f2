#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

// PNG specification, annex D.
std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? 0xEDB88320 ^ (crc >> 1) : crc >> 1;
  }
  return ~crc;
}

std::string big_endian(std::uint32_t value) {
  std::string text(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) text[i] = static_cast<char>(value >> (24 - 8 * i));
  return text;
}

// The one chunk of pixels of Pillow's file: "IDAT", a zlib stream that ends in its Adler-32, a CRC.
struct PixelChunk {
  std::string file = golden("pictures/rgb.png");
  std::size_t begin = file.find("IDAT"), end = file.find("IEND") - 8;
};

// Why the bytes are rejected, "" if they are not. pixels: what they are.
std::string decode_whole(const std::string& content, Picture& pixels) {
  const auto info = probe(bytes_of(content), "a.png");
  REQUIRE(info);
  const auto reject = decode(bytes_of(content), *info, 1, "a.png", pixels);
  return reject ? to_string(*reject) : "";
}

std::string decode_in_bands(const std::string& content) {
  const auto info = probe(bytes_of(content), "a.png");
  REQUIRE(info);
  const OpenedBands opened = open_bands(bytes_of(content), *info, 1, "a.png");
  if (!opened.picture) return "cannot be opened";
  for (int top = 0; top < info->height; top += 5) {
    if (const auto reject = opened.picture->keep(top, top + 5)) return to_string(*reject);
  }
  const auto reject = opened.picture->finish();
  return reject ? to_string(*reject) : "";
}

}  // namespace

TEST_CASE("a PNG whose Adler-32 is not that of its pixels is decoded: its CRCs are right") {
  PixelChunk chunk;
  chunk.file[chunk.end - 1] = static_cast<char>(chunk.file[chunk.end - 1] ^ 1);
  chunk.file.replace(chunk.end, 4,
                     big_endian(crc_of(chunk.file.substr(chunk.begin, chunk.end - chunk.begin))));
  Picture pixels;
  CHECK(decode_whole(chunk.file, pixels) == "");
  CHECK(difference(pixels.rgb, bytes_of(golden("pictures/rgb.png.rgb"))).largest == 0);
  CHECK(decode_in_bands(chunk.file) == "");
}

// Which libspng does not see: it stops at the last pixel.
TEST_CASE("one changed byte of a PNG's pixels or of their CRC rejects it, whole and in bands") {
  const PixelChunk chunk;
  Picture pixels;
  REQUIRE(decode_whole(chunk.file, pixels) == "");
  REQUIRE(decode_in_bands(chunk.file) == "");
  for (std::size_t at = chunk.begin + 4; at < chunk.end + 4; ++at) {
    CAPTURE(at);
    for (const int bit : {0, 6}) {
      std::string changed = chunk.file;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      CHECK(decode_whole(changed, pixels) != "");
      CHECK(decode_in_bands(changed) != "");
    }
  }
}

}  // namespace letterpress
