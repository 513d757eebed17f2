#include "preprocess/augment/colour_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/preprocess/noise.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

using Pixel = std::array<std::uint8_t, 3>;

Pixel shifted(Pixel pixel, float hue, float saturation, float value) {
  kColourBaseline.shift_hsv(pixel.data(), 1, hue, saturation, value);
  return pixel;
}

TEST_CASE("hue, saturation and value are shifted as computed by hand") {
  CHECK(shifted({255, 0, 0}, 1.0f / 3, 1, 1) == Pixel{0, 255, 0});
  CHECK(shifted({255, 0, 0}, -1.0f / 3, 1, 1) == Pixel{0, 0, 255});   // wraps below 0
  CHECK(shifted({0, 0, 255}, 0.5f, 1, 1) == Pixel{255, 255, 0});      // wraps above 1
  CHECK(shifted({200, 100, 100}, 0, 1.5f, 1) == Pixel{200, 50, 50});  // s .5 -> .75
  CHECK(shifted({200, 100, 100}, 0, 3, 1) == Pixel{200, 0, 0});       // clipped at 1
  CHECK(shifted({100, 50, 20}, 0, 1, 1.5f) == Pixel{150, 75, 30});
  CHECK(shifted({200, 110, 50}, 0, 1, 2) ==
        Pixel{255, 140, 64});  // value clipped, hue and saturation kept
  CHECK(shifted({128, 128, 128}, 0.1f, 1.5f, 0.5f) == Pixel{64, 64, 64});
  CHECK(shifted({0, 0, 0}, 0.1f, 1.5f, 1.5f) == Pixel{0, 0, 0});
}

TEST_CASE("no shift is the identity for every colour of a fine grid") {
  for (int r = 0; r < 256; r += 5) {
    for (int g = 0; g < 256; g += 3) {
      for (int b = 0; b < 256; b += 15) {
        const Pixel pixel{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                          static_cast<std::uint8_t>(b)};
        CHECK_FALSE(shifted(pixel, 0, 1, 1) != pixel);
      }
    }
  }
}

// Smith 1978, by the sextant of the hue: unlike the kernels' arithmetic.
std::array<double, 3> exactly_shifted(const Pixel& pixel, double hue, double saturation,
                                      double value) {
  const auto [low, high] = std::ranges::minmax(pixel);
  const double range = high - low;
  double sixths = 0;
  if (range > 0)
    sixths = pixel[0] == high   ? (pixel[1] - pixel[2]) / range
             : pixel[1] == high ? 2 + (pixel[2] - pixel[0]) / range
                                : 4 + (pixel[0] - pixel[1]) / range;
  sixths += 6 * hue + 12;
  const double v = std::min(255.0, high * value),
               s = high > 0 ? std::min(1.0, range / high * saturation) : 0;
  const double fraction = sixths - std::floor(sixths), p = v * (1 - s), q = v * (1 - s * fraction),
               t = v * (1 - s * (1 - fraction));
  switch (static_cast<int>(std::floor(sixths)) % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

// The largest difference for noise, for nearly grey pixels and for the strongest colours.
double worst_difference(float saturation, float value) {
  std::uint32_t state = 7;
  const auto next = [&state] {
    return static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  };
  double worst = 0;
  for (int i = 0; i < 60'000; ++i) {
    Pixel pixel{next(), next(), next()};
    if (i % 3 == 1)
      pixel = {pixel[0], static_cast<std::uint8_t>(pixel[0] / 2 + pixel[1] % 3),
               static_cast<std::uint8_t>(pixel[0] / 2)};
    if (i % 3 == 2) pixel[static_cast<std::size_t>(i % 7 % 3)] = 0;
    const float hue = static_cast<float>(next() + 256 * next()) / 65535 - 0.5f;
    const Pixel got = shifted(pixel, hue, saturation, value);
    const std::array<double, 3> wanted = exactly_shifted(pixel, hue, saturation, value);
    for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(got[c] - wanted[c]));
  }
  return worst;
}

TEST_CASE(
    "colours are within a level of the exact formula while saturation * value is at most 4, within "
    "4 levels at 100") {
  for (const auto& [saturation, value, most] : std::vector<std::array<float, 3>>{{1, 1, 0.6f},
                                                                                 {1.5f, 1.5f, 0.7f},
                                                                                 {0.1f, 0.1f, 0.7f},
                                                                                 {0.4f, 1.3f, 1},
                                                                                 {2, 2, 1},
                                                                                 {1.001f, 3.99f, 1},
                                                                                 {4, 1, 1},
                                                                                 {10, 10, 4}}) {
    CAPTURE(saturation);
    CAPTURE(value);
    CHECK(worst_difference(saturation, value) <= static_cast<double>(most));
  }
}

// Noise with a run of one colour, like the frame around a picture.
std::vector<std::uint8_t> noise_and_frame() {
  std::vector<std::uint8_t> bytes = noise(3 * 5000, 1);
  std::fill(bytes.begin() + 3 * 40, bytes.begin() + 3 * 400, std::uint8_t{114});
  return bytes;
}

// Every number of bits that value and chroma are computed in, and the ends of the ranges.
std::vector<std::array<float, 3>> shifts() {
  std::vector<std::array<float, 3>> all{{0.5f, 1.999f, 1}, {-0.5f, 0, 0}};
  for (int i = 0; i < 20; ++i)
    all.push_back({static_cast<float>(i - 10) / 64, 0.6f + static_cast<float>(i) / 16,
                   1.6f - static_cast<float>(i) / 20});
  for (const float saturation : {0.1f, 1.0f, 3.0f, 10.0f}) {
    for (const float value : {0.1f, 1.0f, 3.0f, 10.0f}) {
      all.push_back({-0.5f, saturation, value});
      all.push_back({0.37f, saturation, value});
    }
  }
  return all;
}

void check_against_baseline(const ColourKernels& kernels) {
  const std::vector<std::uint8_t> noise = noise_and_frame();
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{32},
                              std::size_t{513}, std::size_t{5000}}) {
    for (const auto& [hue, saturation, value] : shifts()) {
      std::vector<std::uint8_t> baseline = noise, other = noise;
      kColourBaseline.shift_hsv(baseline.data(), n, hue, saturation, value);
      kernels.shift_hsv(other.data(), n, hue, saturation, value);
      CHECK(baseline == other);
      std::vector<std::uint8_t> no_more(
          noise.begin(),
          noise.begin() + static_cast<std::ptrdiff_t>(3 * n));  // a sanitizer sees its end
      kernels.shift_hsv(no_more.data(), n, hue, saturation, value);
      CHECK(std::equal(no_more.begin(), no_more.end(), baseline.begin()));
      CHECK(std::equal(noise.begin() + static_cast<std::ptrdiff_t>(3 * n), noise.end(),
                       baseline.begin() + static_cast<std::ptrdiff_t>(3 * n)));
    }
  }
}

TEST_CASE("AVX2 gives the bytes of the baseline, for any number of pixels" *
          doctest::test_suite("needs AVX2")) {
  if (__builtin_cpu_supports("avx2")) return check_against_baseline(kColourAvx2);
  skip("this CPU has no AVX2");
}

TEST_CASE("AVX-512 gives the bytes of the baseline, for any number of pixels" *
          doctest::test_suite("needs AVX-512")) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
    return check_against_baseline(kColourAvx512);
  skip("this CPU has no AVX-512");
}

}  // namespace
}  // namespace letterpress
