#include <immintrin.h>

#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 16
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {
namespace {

inline Floats larger(Floats a, Floats b) { return Floats(_mm512_max_ps(__m512(a), __m512(b))); }
inline Floats smaller(Floats a, Floats b) { return Floats(_mm512_min_ps(__m512(a), __m512(b))); }
inline Floats size(Floats a) { return Floats(_mm512_abs_ps(__m512(a))); }

// Every third byte of each quarter, from `first` on, as four 32-bit numbers.
inline Floats channel(__m512i bytes, char first) {
  const auto byte = [first](int i) { return static_cast<char>(first + 3 * i); };
  const __m128i third = _mm_setr_epi8(byte(0), -1, -1, -1, byte(1), -1, -1, -1, byte(2), -1, -1, -1, byte(3), -1, -1, -1);
  return Floats(_mm512_cvtepi32_ps(_mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(third))));
}

// Each quarter holds four pixels in its first 12 bytes. Loads and stores are of 32 and 16 bytes: one under a mask would wait for the one
// under a mask before it.
inline Pixels load_pixels(const std::uint8_t* rgb) {
  const __m256i front = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rgb));
  const __m128i back = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb + 32));
  const __m512i spread = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
  const __m512i bytes = _mm512_permutexvar_epi32(spread, _mm512_inserti32x4(_mm512_castsi256_si512(front), back, 2));
  return {channel(bytes, 0), channel(bytes, 1), channel(bytes, 2)};
}

inline __m512i whole(Floats values) { return _mm512_cvttps_epi32(__m512(values)); }

inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  const __m512i green = _mm512_slli_epi32(whole(pixels.green), 8), blue = _mm512_slli_epi32(whole(pixels.blue), 16);
  const __m512i wide = _mm512_or_si512(_mm512_or_si512(whole(pixels.red), green), blue);
  const __m512i no_gaps = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const __m512i together = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_permutexvar_epi32(together, _mm512_shuffle_epi8(wide, no_gaps));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(rgb), _mm512_castsi512_si256(bytes));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb + 32), _mm512_extracti32x4_epi32(bytes, 2));
}

}  // namespace

extern const ColourKernels kColourAvx512{shift_hsv};

}  // namespace letterpress
