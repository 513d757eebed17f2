// shift_hsv.inl for registers of 32 and of 64 bytes, by LETTERPRESS_LANES, and the functions that
// both define alike. The files that include this define load_pixels and store_pixels.
#include <immintrin.h>

#include "preprocess/augment/shift_hsv.inl"

#if LETTERPRESS_LANES == 16
#define LETTERPRESS_OF(name) _mm256_##name
#else
#define LETTERPRESS_OF(name) _mm512_##name
#endif

namespace letterpress {
namespace {

#if LETTERPRESS_LANES == 16
using Register = __m256i;
using FloatRegister = __m256;
inline bool any(Words bits) { return _mm256_testz_si256(Register(bits), Register(bits)) == 0; }
#else
using Register = __m512i;
using FloatRegister = __m512;
inline bool any(Words bits) { return _mm512_test_epi16_mask(Register(bits), Register(bits)) != 0; }
#endif

// The compiler finds these instructions for some operands only.
inline Words larger(Words a, Words b) {
  return Words(LETTERPRESS_OF(max_epi16)(Register(a), Register(b)));
}
inline Words smaller(Words a, Words b) {
  return Words(LETTERPRESS_OF(min_epi16)(Register(a), Register(b)));
}
inline Words magnitude(Words a) { return Words(LETTERPRESS_OF(abs_epi16)(Register(a))); }
inline Words rounded_product(Words a, Words b) {
  return Words(LETTERPRESS_OF(mulhrs_epi16)(Register(a), Register(b)));
}
inline Unsigned upper_product(Unsigned a, Unsigned b) {
  return Unsigned(LETTERPRESS_OF(mulhi_epu16)(Register(a), Register(b)));
}
inline Unsigned smaller(Unsigned a, Unsigned b) {
  return Unsigned(LETTERPRESS_OF(min_epu16)(Register(a), Register(b)));
}
inline Unsigned difference_or_0(Unsigned a, Unsigned b) {
  return Unsigned(LETTERPRESS_OF(subs_epu16)(Register(a), Register(b)));
}

inline Halves to_floats(Words words) {
  const auto widened = [](Register zero_extended) {
    return Floats(LETTERPRESS_OF(cvtepi32_ps)(zero_extended));
  };
  const Register lower = LETTERPRESS_OF(unpacklo_epi16)(Register(words), Register{});
  return {widened(lower), widened(LETTERPRESS_OF(unpackhi_epi16)(Register(words), Register{}))};
}
inline Unsigned rounded_down(const Halves& floats) {
  const Register some = LETTERPRESS_OF(cvttps_epi32)(FloatRegister(floats.some));
  return Unsigned(LETTERPRESS_OF(packus_epi32)(
      some, LETTERPRESS_OF(cvttps_epi32)(FloatRegister(floats.others))));
}
inline Floats larger(Floats a, Floats b) {
  return Floats(LETTERPRESS_OF(max_ps)(FloatRegister(a), FloatRegister(b)));
}
inline Floats smaller(Floats a, Floats b) {
  return Floats(LETTERPRESS_OF(min_ps)(FloatRegister(a), FloatRegister(b)));
}

}  // namespace
}  // namespace letterpress
