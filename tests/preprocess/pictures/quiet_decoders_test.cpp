#include "preprocess/pictures/quiet_decoders.h"

#include <doctest/doctest.h>

#include <functional>
#include <iostream>
#include <sstream>
#include <thread>

#include "preprocess/pictures/picture.h"
#include "tests/preprocess/golden.h"
#include "tests/skip.h"

using namespace letterpress;

namespace {

// What `work` prints to std::cerr.
std::string printed_by(const std::function<void()>& work) {
  static std::ostringstream printed;  // quiet_decoders() keeps the buffer that it finds first
  printed.str("");
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  work();
  std::cerr.rdbuf(before);
  return printed.str();
}

}  // namespace

TEST_CASE("what a decoder prints is dropped; what is printed beside it and after it is not") {
  const std::string printed = printed_by([] {
    quiet_decoders();
    {
      const InDecoder in_decoder;
      std::cerr << "theirs " << 'c' << 1 << '\n';
      std::thread([] { std::cerr << "beside\n"; }).join();
    }
    std::cerr << "after" << '\n';
  });
  CHECK(printed == "beside\nafter\n");
}

#ifdef LETTERPRESS_IMGCODECS
namespace {

int rejects_of_damaged_pictures() {
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
  return rejected;
}

}  // namespace

TEST_CASE("of damaged pictures nothing is printed but what the program says itself" *
          doctest::test_suite("needs OpenCV that prints")) {
  int rejected = 0;
  const std::string loud = printed_by([&] { rejected = rejects_of_damaged_pictures(); });
  CHECK(rejected > 4);
  if (loud.empty()) return skip("OpenCV here prints nothing of damaged pictures");
  const std::string printed = printed_by([] {
    quiet_decoders();
    rejects_of_damaged_pictures();
    std::cerr << "ours" << '\n';
  });
  CHECK(printed == "ours\n");
}
#endif
