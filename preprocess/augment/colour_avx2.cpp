#include <immintrin.h>

#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 8
#include "preprocess/augment/shift_hsv.inl"

namespace letterpress {
namespace {

// The compiler finds these instructions for some operands only.
inline Floats larger(Floats a, Floats b) { return Floats(_mm256_max_ps(__m256(a), __m256(b))); }
inline Floats smaller(Floats a, Floats b) { return Floats(_mm256_min_ps(__m256(a), __m256(b))); }
inline Floats size(Floats a) { return Floats(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), __m256(a))); }

// Every third byte of each half, from `first` on, as four 32-bit numbers.
inline Floats channel(__m256i bytes, char first, char first_of_right) {
  const auto third = [](char at) {
    const auto byte = [at](int i) { return static_cast<char>(at + 3 * i); };
    return _mm_setr_epi8(byte(0), -1, -1, -1, byte(1), -1, -1, -1, byte(2), -1, -1, -1, byte(3), -1, -1, -1);
  };
  const __m256i places = _mm256_set_m128i(third(first_of_right), third(first));
  return Floats(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, places)));
}

// Pixels 0..3 are bytes 0..11 of the left half, pixels 4..7 are bytes 4..15 of the right one: 24 bytes are read, not more.
inline Pixels load_pixels(const std::uint8_t* rgb) {
  const __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb));
  const __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb + 8));
  const __m256i bytes = _mm256_set_m128i(right, left);
  return {channel(bytes, 0, 4), channel(bytes, 1, 5), channel(bytes, 2, 6)};
}

inline __m256i whole(Floats values) { return _mm256_cvttps_epi32(__m256(values)); }

inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  const __m256i green = _mm256_slli_epi32(whole(pixels.green), 8), blue = _mm256_slli_epi32(whole(pixels.blue), 16);
  const __m256i wide = _mm256_or_si256(_mm256_or_si256(whole(pixels.red), green), blue);
  const __m256i no_gaps = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(wide, no_gaps), _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb), _mm256_castsi256_si128(bytes));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(rgb + 16), _mm256_extracti128_si256(bytes, 1));
}

}  // namespace

extern const ColourKernels kColourAvx2{shift_hsv};

}  // namespace letterpress
