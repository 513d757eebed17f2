#pragma once
#include <cstddef>
#include <cstdint>

namespace letterpress {

/// Loops over pixels, compiled once per instruction set. All give the same bytes: they compute with
/// whole numbers, or with single float operations in one order that are never contracted.
struct ColourKernels {
  /// rgb: uint8 [n, 3], in place. With h, s, v in 0..1: h + hue wrapped, s * saturation and v *
  /// value clipped, rounded to nearest. 16-bit arithmetic: off by a level at most while saturation
  /// * value <= 4, by 4 levels at 100. hue: -0.5..0.5 turns; saturation, value: 0..10.
  void (*shift_hsv)(std::uint8_t* rgb, std::size_t n, float hue, float saturation, float value);
};
extern const ColourKernels kColourBaseline, kColourAvx2, kColourAvx512;
const ColourKernels& colour_kernels() noexcept;  ///< the fastest that this CPU runs

}  // namespace letterpress
