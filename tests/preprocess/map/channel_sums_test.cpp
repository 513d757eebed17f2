#include "preprocess/map/channel_sums.h"

#include <doctest/doctest.h>

#include <vector>

namespace letterpress {
namespace {

TEST_CASE("channel sums by hand") {
  const std::vector<std::uint8_t> two_pixels{1, 2, 3, 10, 20, 30};
  CHECK(sum_channels(two_pixels) == std::array<std::uint64_t, 3>{11, 22, 33});
  CHECK(sum_channels({}) == std::array<std::uint64_t, 3>{0, 0, 0});
}

TEST_CASE(
    "white of any size is 255 times its pixels, so nothing overflows and no pixel is left out") {
  for (const std::size_t pixels : {1u, 31u, 32u, 33u, 257u * 32, 257u * 32 + 1, 640u * 640}) {
    CAPTURE(pixels);
    std::vector<std::uint8_t> image(3 * pixels, 255);
    image.back() = 0;
    CHECK(sum_channels(image) ==
          std::array<std::uint64_t, 3>{255 * pixels, 255 * pixels, 255 * (pixels - 1)});
  }
}

TEST_CASE("a byte counts for its own channel, wherever it lies") {
  std::vector<std::uint8_t> image(std::size_t{3} * 257 * 32 + 198, 0);
  for (std::size_t i = 0; i < image.size(); i += i < 300 ? 1 : 97) {
    CAPTURE(i);
    image[i] = 200;
    std::array<std::uint64_t, 3> wanted{};
    wanted[i % 3] = 200;
    CHECK(sum_channels(image) == wanted);
    image[i] = 0;
  }
}

}  // namespace
}  // namespace letterpress
