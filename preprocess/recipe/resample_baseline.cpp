#include <algorithm>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

std::uint8_t clip(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

constexpr int kFraction = 7;

// Less 128, in 1/128.
int blended(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t i) {
  int sum = 0;
  for (int k = 0; k < taps; ++k) sum += (((rows[k][i] - 128) << 8) * weight[k] + (1 << 14)) >> 15;
  return sum;
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                std::size_t n, std::uint8_t* out) {
  constexpr int kHalf = 1 << (kFraction - 1);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = clip((blended(rows, weight, taps, i) + (128 << kFraction) + kHalf) >> kFraction);
}

void blend_to_words(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                    std::size_t n, std::int16_t* out) {
  constexpr int kLost = kFraction - 2, kHalf = 1 << (kLost - 1);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::int16_t>((blended(rows, weight, taps, i) + kHalf) >> kLost);
}

void gather(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
            std::uint8_t* out) {
  const std::int16_t* weight = x.weight.data();
  for (const std::int32_t start : x.start) {
    const std::uint8_t* const in = line + 3 * (start - origin);
    for (int c = 0; c < 3; ++c) {
      int sum = 1 << (kWeightBits - 1);
      for (int k = 0; k < x.taps; ++k) sum += in[3 * k + c] * weight[k];
      out[c] = clip(sum >> kWeightBits);
    }
    weight += x.taps;
    out += 3;
  }
}

}  // namespace

extern const ResampleKernels kResampleBaseline{blend_rows, blend_to_words, [](AxisWeights&) {},
                                               gather};

}  // namespace letterpress
