#pragma once
#include <cstddef>
#include <cstdint>

#include "preprocess/recipe/axis_weights.h"

namespace letterpress {

inline constexpr int kWeightBits = 14;
/// How many bytes may be read (but not used) behind a line, whatever the taps.
inline constexpr std::size_t kLineSlack = 16;

/// The loops of resampling, one version per instruction set. Integer arithmetic: equal results.
struct ResampleKernels {
  /// out[i] = clip(sum over k of weight[k] * rows[k][i]), i < n. 128 is subtracted from each byte
  /// first, and each product is rounded to 1/128.
  void (*blend_rows)(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                     std::size_t n, std::uint8_t* out);
  /// The same sums less 128, rounded to 1/4 and given in 1/4. Not clipped: |out[i]| < 1024.
  void (*blend_to_words)(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                         std::size_t n, std::int16_t* out);
  /// x.arranged <- the weights in the order in which `gather` reads them.
  void (*arrange)(AxisWeights& x);
  /// out: uint8 [count, 3] <- clip(sum over k of weight[i, k] * line[start[i] - origin + k]); line:
  /// uint8 [.., 3] with kLineSlack + 3 * taps readable bytes behind the last start.
  void (*gather)(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
                 std::uint8_t* out);
};
extern const ResampleKernels kResampleBaseline, kResampleAvx2, kResampleAvx512;

}  // namespace letterpress
