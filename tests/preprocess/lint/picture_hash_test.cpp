#include "preprocess/lint/picture_hash.h"

#include <doctest/doctest.h>

#include <ctime>
#include <random>
#include <set>
#include <stdexcept>

using namespace letterpress;

namespace {

std::vector<std::uint8_t> grey_picture(int side, auto level) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(level(x, y)));
  }
  return rgb;
}

std::vector<std::uint64_t> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::set<std::uint64_t> values;
  while (values.size() < n) {
    const std::uint64_t value = engine();
    values.insert(value);
    std::uint64_t near = value;  // some that are close to others
    for (std::uint64_t k = engine() % 9; k > 0; --k) near ^= std::uint64_t{1} << engine() % 64;
    values.insert(near);
  }
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE(
    "bits of the difference hash by hand: set where a cell is darker than its right neighbour") {
  // 9 columns of 8 pixels in a frame of 72: levels rise in the upper half, fall in the lower one.
  const auto rising =
      grey_picture(72, [](int x, int y) { return y < 36 ? x / 8 * 20 : 200 - x / 8 * 20; });
  const PictureHash hash = hash_picture(rising, 72, {0, 0, 72, 72});
  CHECK(hash.bits == 0x00000000FFFFFFFF);
  const auto flat = grey_picture(72, [](int, int) { return 90; });
  CHECK(hash_picture(flat, 72, {0, 0, 72, 72}).bits == 0);
  CHECK(hash_picture(flat, 72, {0, 0, 72, 72}).grey[17] == 90);
}

TEST_CASE("padding outside the picture's part does not count, and a brighter copy keeps its bits") {
  const auto level = [](int x, int y) { return (x * 7 + y * 13 + x * y) % 97; };
  const auto narrow =
      grey_picture(64, [&](int x, int y) { return y >= 16 && y < 48 ? level(x, y - 16) : 114; });
  const auto other_fill =
      grey_picture(64, [&](int x, int y) { return y >= 16 && y < 48 ? level(x, y - 16) : 0; });
  const auto brighter = grey_picture(
      64, [&](int x, int y) { return y >= 16 && y < 48 ? level(x, y - 16) + 20 : 114; });
  const PicturePart part{0, 16, 64, 32};
  const PictureHash hash = hash_picture(narrow, 64, part);
  CHECK(hash_picture(other_fill, 64, part).bits == hash.bits);
  CHECK(hash_picture(brighter, 64, part).bits == hash.bits);
  CHECK(grey_difference(hash, hash_picture(other_fill, 64, part)) == 0);
  CHECK(grey_difference(hash, hash_picture(brighter, 64, part)) == doctest::Approx(20));
  CHECK_THROWS_AS(hash_picture(narrow, 64, {0, 40, 64, 32}), std::logic_error);
}

TEST_CASE("near pairs are those that comparing all with all finds, for every radius") {
  const std::vector<std::uint64_t> values = random_values(600, 3);
  for (int radius = 0; radius <= 7; ++radius) {
    CAPTURE(radius);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted;
    for (const std::uint64_t a : values) {
      for (const std::uint64_t b : values) {
        if (a < b && hamming(a, b) <= radius) wanted.emplace_back(a, b);
      }
    }
    CHECK(near_pairs(values, radius) == wanted);
    if (radius > 0) CHECK(!wanted.empty());
  }
  CHECK_THROWS_AS(near_pairs(values, 8), std::logic_error);
}

TEST_CASE("eight times the pictures cost far less than sixty-four times the time") {
  const auto seconds = [](std::size_t n) {
    const std::vector<std::uint64_t> values = random_values(n, 5);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const std::clock_t start = std::clock();  // the processor's time: machines are shared
      near_pairs(values, 4);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
  };
  const double few = seconds(10'000), many = seconds(80'000);
  CHECK(many < 40 * few);
}
