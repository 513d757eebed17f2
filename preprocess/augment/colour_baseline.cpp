#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 8
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {
namespace {

inline Floats larger(Floats a, Floats b) { return a > b ? a : b; }
inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }
inline Floats size(Floats a) { return larger(a, -a); }

inline Pixels load_pixels(const std::uint8_t* rgb) {
  Pixels pixels;
  for (int i = 0; i < kLanes; ++i, rgb += 3) {
    pixels.red[i] = rgb[0];
    pixels.green[i] = rgb[1];
    pixels.blue[i] = rgb[2];
  }
  return pixels;
}

inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  for (int i = 0; i < kLanes; ++i, rgb += 3) {
    rgb[0] = static_cast<std::uint8_t>(pixels.red[i]);
    rgb[1] = static_cast<std::uint8_t>(pixels.green[i]);
    rgb[2] = static_cast<std::uint8_t>(pixels.blue[i]);
  }
}

}  // namespace

extern const ColourKernels kColourBaseline{shift_hsv};

}  // namespace letterpress
