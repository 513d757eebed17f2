#include <immintrin.h>

#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 8
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {
namespace {

// SSE2: every x86-64 has it.
inline Words larger(Words a, Words b) { return Words(_mm_max_epi16(__m128i(a), __m128i(b))); }
inline Words smaller(Words a, Words b) { return Words(_mm_min_epi16(__m128i(a), __m128i(b))); }
inline Words magnitude(Words a) { return larger(a, -a); }
inline Words rounded_product(Words a, Words b) {
  const Words upper = Words(_mm_mulhi_epi16(__m128i(a), __m128i(b)));
  const Unsigned lower = Unsigned(_mm_mullo_epi16(__m128i(a), __m128i(b)));
  return (upper << 1) + Words(((lower >> 14) + 1) >> 1);
}
inline Unsigned upper_product(Unsigned a, Unsigned b) {
  return Unsigned(_mm_mulhi_epu16(__m128i(a), __m128i(b)));
}
inline Unsigned difference_or_0(Unsigned a, Unsigned b) {
  return Unsigned(_mm_subs_epu16(__m128i(a), __m128i(b)));
}
inline Unsigned smaller(Unsigned a, Unsigned b) { return a - difference_or_0(a, b); }
inline bool any(Words bits) {
  return _mm_movemask_epi8(_mm_cmpeq_epi16(__m128i(bits), __m128i{})) != 0xFFFF;
}

inline Halves to_floats(Words words) {
  const auto widened = [](__m128i zero_extended) { return Floats(_mm_cvtepi32_ps(zero_extended)); };
  return {widened(_mm_unpacklo_epi16(__m128i(words), __m128i{})),
          widened(_mm_unpackhi_epi16(__m128i(words), __m128i{}))};
}
inline Unsigned rounded_down(const Halves& floats) {
  // Packing saturates, so the upper halves are made copies of the sign of the lower ones.
  const auto whole = [](Floats values) {
    const __m128i wide = _mm_cvttps_epi32(__m128(values));
    return _mm_srai_epi32(_mm_slli_epi32(wide, 16), 16);
  };
  return Unsigned(_mm_packs_epi32(whole(floats.some), whole(floats.others)));
}
inline Floats larger(Floats a, Floats b) { return Floats(_mm_max_ps(__m128(a), __m128(b))); }
inline Floats smaller(Floats a, Floats b) { return Floats(_mm_min_ps(__m128(a), __m128(b))); }

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
