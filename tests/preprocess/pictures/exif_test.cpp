#include <doctest/doctest.h>

#include "preprocess/pictures/headers.h"
#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

namespace letterpress {
namespace {

TEST_CASE("a PNG's eXIf counts before and behind its pixels") {
  const std::string plain = golden("pictures/rgb.png");
  const std::string exif("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);
  const std::string chunk = std::string(
                                "\0\0\0\x1A"
                                "eXIf",
                                8) +
                            exif + std::string(4, '\0');
  for (const char* before : {"IDAT", "IEND"}) {
    CAPTURE(before);
    std::string turned = plain;
    turned.insert(turned.find(before) - 4, chunk);
    const auto info = probe(bytes_of(turned), "a.png");
    REQUIRE(info);
    CHECK(info->orientation == 6);
    CHECK(info->width == 32);
    CHECK(info->height == 48);
  }
}

TEST_CASE("EXIF orientation is read in both byte orders, and is 1 if the structure is wrong") {
  // Header, one entry: tag 0x0112, SHORT, one, value 6.
  const std::string little("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  const std::string big("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 26);
  CHECK(exif_orientation(bytes_of(little)) == 6);
  CHECK(exif_orientation(bytes_of(big)) == 6);
  for (std::size_t n = 0; n < 20; ++n) CHECK(exif_orientation(bytes_of(big).first(n)) == 1);
  // The same as a LONG.
  const std::string long_little("II*\0\x08\0\0\0\x01\0\x12\x01\x04\0\x01\0\0\0\x06\0\0\0\0\0\0\0",
                                26);
  const std::string long_big("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x06\0\0\0\0", 26);
  CHECK(exif_orientation(bytes_of(long_little)) == 6);
  CHECK(exif_orientation(bytes_of(long_big)) == 6);
  std::string changed = long_big;
  changed[18] = 1;  // 65542
  CHECK(exif_orientation(bytes_of(changed)) == 1);
  changed = big;
  changed[19] = 9;  // not an orientation
  CHECK(exif_orientation(bytes_of(changed)) == 1);
  changed = big;
  changed[4] = '\xFF';  // a directory beyond the end
  CHECK(exif_orientation(bytes_of(changed)) == 1);
  changed = big;
  changed[8] = changed[9] = '\xFF';  // 65535 entries, but only the first is there
  CHECK(exif_orientation(bytes_of(changed)) == 6);
}

}  // namespace
}  // namespace letterpress
