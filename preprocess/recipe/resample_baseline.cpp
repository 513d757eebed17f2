#include <algorithm>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

std::uint8_t clip(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  constexpr int kFraction = 6;
  for (std::size_t i = 0; i < n; ++i) {
    int sum = 1 << (kFraction - 1);
    for (int k = 0; k < taps; ++k) sum += ((rows[k][i] << 7) * weight[k] + (1 << 14)) >> 15;
    out[i] = clip(sum >> kFraction);
  }
}

void gather(const std::uint8_t* line, const std::int32_t* start, std::int32_t origin, const std::int16_t* weight, int taps, int count,
            std::uint8_t* out) {
  for (int i = 0; i < count; ++i, weight += taps, out += 3) {
    const std::uint8_t* const in = line + 3 * (start[i] - origin);
    for (int c = 0; c < 3; ++c) {
      int sum = 1 << (kWeightBits - 1);
      for (int k = 0; k < taps; ++k) sum += in[3 * k + c] * weight[k];
      out[c] = clip(sum >> kWeightBits);
    }
  }
}

}  // namespace

extern const ResampleKernels kResampleBaseline{blend_rows, gather};

}  // namespace letterpress
