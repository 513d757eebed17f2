#include "preprocess/recipe/resample_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/preprocess/noise.h"
#include "tests/skip.h"

namespace letterpress {
namespace {

// Gathers and blends a line of `size` frame pixels by the baseline and by `kernels`. 8 bytes behind
// it must stay as they are.
void compare_kernels(const ResampleKernels& kernels, const std::vector<std::uint8_t>& picture,
                     double scale, int size, LetterboxRule::Resize resize) {
  AxisWeights weights;
  compute_weights({scale, scale < 0 ? size : 0.0, 90, size}, resize, weights);
  const auto n = static_cast<std::size_t>(3 * weights.count);
  std::vector<std::uint8_t> baseline(n + 8, 9), other(n + 8, 9);
  // Only as long as may be read, so that a sanitizer sees it if more is.
  const std::int32_t last = weights.count == 0 ? 0 : *std::ranges::max_element(weights.start);
  const auto readable = static_cast<std::ptrdiff_t>(3 * (last + weights.taps)) +
                        static_cast<std::ptrdiff_t>(kLineSlack);
  const std::vector<std::uint8_t> line(picture.begin(), picture.begin() + readable);
  kResampleBaseline.gather(line.data(), weights, 0, baseline.data());
  kernels.arrange(weights);
  kernels.gather(line.data(), weights, 0, other.data());
  CHECK(baseline == other);
  std::vector<const std::uint8_t*> rows;
  for (int k = 0; k < weights.taps; ++k) rows.push_back(picture.data() + 1200 * k % 90000);
  const auto width = static_cast<std::size_t>(3 * size);
  std::vector<std::uint8_t> first(width + 8, 9), second(width + 8, 9);
  kResampleBaseline.blend_rows(rows.data(), weights.weight.data(), weights.taps, width,
                               first.data());
  kernels.blend_rows(rows.data(), weights.weight.data(), weights.taps, width, second.data());
  CHECK(first == second);
  std::vector<std::int16_t> first_words(width + 8, 9), second_words(width + 8, 9);
  kResampleBaseline.blend_to_words(rows.data(), weights.weight.data(), weights.taps, width,
                                   first_words.data());
  kernels.blend_to_words(rows.data(), weights.weight.data(), weights.taps, width,
                         second_words.data());
  CHECK(first_words == second_words);
}

void compare_kernels(const ResampleKernels& kernels) {
  const std::vector<std::uint8_t> soft = noise(400 * 100 * 3);
  std::vector<std::uint8_t> hard = soft;
  for (std::uint8_t& byte : hard) byte = byte < 128 ? 0 : 255;
  for (const double scale : {0.11, 0.25, 0.26, 0.28, 0.3, 0.34, 0.45, 0.5, 0.65, 0.9, 1.0, 2.7,
                             -0.25, -0.3, -0.5, -0.6}) {
    for (const int size : {3, 8, 9, 31, 64, 90}) {
      CAPTURE(scale);
      CAPTURE(size);
      for (const auto resize : {LetterboxRule::Resize::linear, LetterboxRule::Resize::cubic}) {
        compare_kernels(kernels, soft, scale, size, resize);
        compare_kernels(kernels, hard, scale, size, resize);
      }
    }
  }
}

TEST_CASE("AVX2 gives the bytes of the baseline, also where the cubic kernel overshoots" *
          doctest::test_suite("needs AVX2")) {
  if (__builtin_cpu_supports("avx2")) return compare_kernels(kResampleAvx2);
  skip("this CPU has no AVX2");
}

TEST_CASE("AVX-512 gives the bytes of the baseline, also where the cubic kernel overshoots" *
          doctest::test_suite("needs AVX-512")) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
    return compare_kernels(kResampleAvx512);
  skip("this CPU has no AVX-512");
}

}  // namespace
}  // namespace letterpress
