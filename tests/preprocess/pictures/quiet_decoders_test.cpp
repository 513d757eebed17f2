#include "preprocess/pictures/quiet_decoders.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"

using namespace letterpress;

#ifdef LETTERPRESS_IMGCODECS
TEST_CASE("of damaged pictures nothing is printed but what the program says itself") {
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  quiet_decoders();
  int rejected = 0;
  for (const char* name : {"photo.bmp", "photo.tiff", "deep.tiff", "photo.webp"}) {
    const std::string whole = golden(std::string("pictures/") + name);
    for (const std::size_t parts : {2, 4}) {
      const std::string begin = whole.substr(0, whole.size() / parts);
      const auto info = probe(bytes_of(begin), name, {.depth = Depth::bits16});
      Picture picture;
      rejected += !info || decode(bytes_of(begin), *info, 1, name, picture).has_value();
    }
  }
  std::cerr << "ours" << '\n';
  std::cerr.rdbuf(before);
  CHECK(rejected > 4);
  CHECK(printed.str() == "ours\n");
}
#endif
