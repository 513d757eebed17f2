#include <doctest/doctest.h>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

int toned(std::uint8_t value, float brightness, float contrast, float gamma) {
  return coloured(*make("tone"), {brightness, contrast, gamma}, {value, value, value}, 1)[1];
}

// python: int(min(max(((v/255)**g-.5)*c+.5+b,0),1)*255+.5)
TEST_CASE(
    "brightness is added, contrast multiplies about the middle, gamma is a power, as in Python") {
  CHECK(toned(100, 0.1f, 1, 1) == 126);
  CHECK(toned(100, 0, 2, 1) == 73);
  CHECK(toned(100, 0, 1, 2) == 39);
  CHECK(toned(100, 0, 1, 0.5f) == 160);
  CHECK(toned(200, -0.1f, 0.8125f, 1.25f) == 151);
  CHECK(toned(30, 0, 1, 1.75f) == 6);
  CHECK(toned(250, 0.5f, 1, 1) == 255);
  CHECK(toned(5, -0.5f, 1, 1) == 0);
}

TEST_CASE("tone with no change keeps every level") {
  for (int v = 0; v < 256; ++v) CHECK(toned(static_cast<std::uint8_t>(v), 0, 1, 1) == v);
}

}  // namespace
}  // namespace letterpress
