#include <doctest/doctest.h>

#include <algorithm>

#include "tests/preprocess/augment/make_augmentation.h"

namespace letterpress {
namespace {

constexpr std::size_t kSide = 32;

// A step from black to white in the middle, along x or along y.
std::vector<std::uint8_t> step(bool along_x) {
  std::vector<std::uint8_t> rgb(kSide * kSide * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i)
    rgb[i] = (along_x ? i / 3 % kSide : i / 3 / kSide) >= 16 ? 255 : 0;
  return rgb;
}

// numpy: convolution with exp(-k^2 / 8), |k| <= 6, normalised, edges repeated; pixels 10..21.
TEST_CASE("a step blurred by sigma 2 is as numpy's, along both axes") {
  const std::vector<int> wanted{1, 3, 10, 26, 57, 102, 153, 198, 229, 245, 252, 254};
  for (const bool along_x : {true, false}) {
    const auto blurred = coloured(*make("blur"), {2}, step(along_x), kSide);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t x = along_x ? 10 + i : 5, y = along_x ? 5 : 10 + i;
      CHECK(std::abs(blurred[3 * (y * kSide + x) + 1] - wanted[i]) <= 1);
    }
  }
}

TEST_CASE("flat colours stay the same up to the edge, for every sigma") {
  std::vector<std::uint8_t> flat(kSide * kSide * 3);
  for (std::size_t i = 0; i < flat.size(); ++i)
    flat[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 255 : i % 3 == 1 ? 0 : 97);
  for (const float sigma : {0.2f, 0.7f, 3.0f, 10.0f, 20.0f})
    CHECK(coloured(*make("blur"), {sigma}, flat, kSide) == flat);
}

TEST_CASE("no blur is the identity") {
  const auto picture = step(true);
  CHECK(coloured(*make("blur"), {0}, picture, kSide) == picture);
  CHECK(coloured(*make("blur"), {0.1f}, picture, kSide) == picture);
}

}  // namespace
}  // namespace letterpress
