#include "letterpress/base/picture_extension.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("names of pictures are told by their extension, in any case") {
  for (const char* name : {"a.jpg", "a.JPEG", "x/y.Png", "a.b.tiff", "a b.webp", ".bmp"})
    CHECK(has_picture_extension(name));
  for (const char* name : {"a.txt", "jpg", "a.", "a.jpg.xml", "", "a.jpgx", "a.ppm", "a.jp2"})
    CHECK_FALSE(has_picture_extension(name));
  for (const char* name : {"a.gif", "b/a.HEIC", "a.ppm", "a.jp2"})
    CHECK(has_unread_picture_extension(name));
  for (const char* name : {"a.jpg", "a.txt", "gif", "", "a.giff"})
    CHECK_FALSE(has_unread_picture_extension(name));
  for (const PictureExtension& entry : picture_extensions())
    CHECK(has_picture_extension("a." + std::string(entry.extension)));
  CHECK(promised_format("a/b.JFIF") == "JPEG");
  CHECK(promised_format("a.Tif") == "TIFF");
  CHECK(promised_format("a.txt").empty());
  CHECK(picture_extensions_text() == ".jpg .jpeg .jpe .jfif .png .bmp .dib .tif .tiff .webp");
}


TEST_CASE(
    "an extension is what follows the last dot of the last part, and a hidden file has none") {
  CHECK(without_extension("x.y/a.b.jpg") == "x.y/a.b");
  CHECK(without_extension("x.y/a") == "x.y/a");
  CHECK(without_extension("x/.hidden") == "x/.hidden");
}
