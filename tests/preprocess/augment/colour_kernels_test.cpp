#include "preprocess/augment/colour_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace letterpress {
namespace {

using Pixel = std::array<std::uint8_t, 3>;

Pixel shifted(Pixel pixel, float hue, float saturation, float value) {
  kColourBaseline.shift_hsv(pixel.data(), 1, hue, saturation, value);
  return pixel;
}

TEST_CASE("hue, saturation and value are shifted as by hand") {
  CHECK(shifted({255, 0, 0}, 1.0f / 3, 1, 1) == Pixel{0, 255, 0});
  CHECK(shifted({255, 0, 0}, -1.0f / 3, 1, 1) == Pixel{0, 0, 255});   // wraps below 0
  CHECK(shifted({0, 0, 255}, 0.5f, 1, 1) == Pixel{255, 255, 0});      // wraps above 1
  CHECK(shifted({200, 100, 100}, 0, 1.5f, 1) == Pixel{200, 50, 50});  // s .5 -> .75
  CHECK(shifted({200, 100, 100}, 0, 3, 1) == Pixel{200, 0, 0});       // clipped at 1
  CHECK(shifted({100, 50, 20}, 0, 1, 1.5f) == Pixel{150, 75, 30});
  CHECK(shifted({200, 110, 50}, 0, 1, 2) == Pixel{255, 140, 64});  // value clipped, hue and saturation kept
  CHECK(shifted({128, 128, 128}, 0.1f, 1.5f, 0.5f) == Pixel{64, 64, 64});
  CHECK(shifted({0, 0, 0}, 0.1f, 1.5f, 1.5f) == Pixel{0, 0, 0});
}

TEST_CASE("no shift is the identity for every colour of a fine grid") {
  for (int r = 0; r < 256; r += 5) {
    for (int g = 0; g < 256; g += 3) {
      for (int b = 0; b < 256; b += 15) {
        const Pixel pixel{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b)};
        CHECK_FALSE(shifted(pixel, 0, 1, 1) != pixel);
      }
    }
  }
}

// Noise with a run of one colour in it, as the frame around a picture is.
std::vector<std::uint8_t> noise_and_frame() {
  std::vector<std::uint8_t> bytes(3 * 5000);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  std::fill(bytes.begin() + 3 * 40, bytes.begin() + 3 * 400, std::uint8_t{114});
  return bytes;
}

void check_against_baseline(const ColourKernels& kernels) {
  const std::vector<std::uint8_t> noise = noise_and_frame();
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{513}, std::size_t{5000}}) {
    for (int i = 0; i < 20; ++i) {
      const float hue = static_cast<float>(i - 10) / 64, saturation = 0.6f + static_cast<float>(i) / 16,
                  value = 1.6f - static_cast<float>(i) / 20;
      std::vector<std::uint8_t> baseline = noise, other = noise;
      kColourBaseline.shift_hsv(baseline.data(), n, hue, saturation, value);
      kernels.shift_hsv(other.data(), n, hue, saturation, value);
      CHECK(baseline == other);
      CHECK(std::equal(noise.begin() + static_cast<std::ptrdiff_t>(3 * n), noise.end(),
                       baseline.begin() + static_cast<std::ptrdiff_t>(3 * n)));
    }
  }
}

TEST_CASE("AVX2 gives the bytes of the baseline, for any number of pixels") {
  if (__builtin_cpu_supports("avx2")) return check_against_baseline(kColourAvx2);
  MESSAGE("skipped: this CPU has no AVX2");
}

TEST_CASE("AVX-512 gives the bytes of the baseline, for any number of pixels") {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return check_against_baseline(kColourAvx512);
  MESSAGE("skipped: this CPU has no AVX-512");
}

}  // namespace
}  // namespace letterpress
