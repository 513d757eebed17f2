#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace letterpress {

/// One pass over the bytes of pixels, compiled once per instruction set; the same bits on each. n
/// is a multiple of 64, `out` is on a multiple of 64. Stores bypass the caches: a batch is read
/// long after it was written and would only evict other data.
struct PixelKernels {
  std::string_view name;  ///< of the instruction set, for people
  void (*copy)(const std::uint8_t* bytes, std::size_t n, std::uint8_t* out);
  /// out[i] = bytes[i] / 255, rounded to nearest.
  void (*to_float32)(const std::uint8_t* bytes, std::size_t n, float* out);
  /// The same, rounded once more to bfloat16 (to nearest, ties to even), as torch divides numbers
  /// of that type.
  void (*to_bfloat16)(const std::uint8_t* bytes, std::size_t n, std::uint16_t* out);
};
extern const PixelKernels kPixelBaseline, kPixelAvx2, kPixelAvx512;

bool runs_here(const PixelKernels& kernels) noexcept;
const PixelKernels& pixel_kernels() noexcept;  ///< the fastest that this CPU runs

/// x / 255 = x * kInverse255 + x * kInverseRest with one rounding at the end, that of a fused
/// multiply-add: equal to the division's result for each of the 256 bytes, at a fraction of its
/// time.
inline constexpr float kInverse255 = 1.0F / 255,
                       kInverseRest =
                           static_cast<float>(1.0 / 255 - static_cast<double>(kInverse255));

}  // namespace letterpress
