#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 32
#include "preprocess/augment/colour_registers.inl"

namespace letterpress {
namespace {

inline __m512i in_each_quarter(__m128i places) { return _mm512_broadcast_i32x4(places); }

// 16 pixels, four in the first 12 bytes of each quarter. Loads and stores are of 32 and 16 bytes: a
// masked one would have to wait for the masked one before it.
inline __m512i load_16(const std::uint8_t* rgb) {
  const __m256i front = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rgb));
  const __m128i back = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb + 32));
  const __m512i spread = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
  return _mm512_permutexvar_epi32(spread,
                                  _mm512_inserti32x4(_mm512_castsi256_si512(front), back, 2));
}
inline void store_16(__m512i pixels, std::uint8_t* rgb) {
  const __m512i no_gaps = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_permutexvar_epi32(no_gaps, pixels);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(rgb), _mm512_castsi512_si256(bytes));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb + 32), _mm512_extracti32x4_epi32(bytes, 2));
}

// Each quarter of a channel holds four of the first 16 pixels, then four of the last.
inline Pixels load_pixels(const std::uint8_t* rgb) {
  const __m128i red_green = _mm_setr_epi8(0, -1, 3, -1, 6, -1, 9, -1, 1, -1, 4, -1, 7, -1, 10, -1);
  const __m128i lower_blue =
      _mm_setr_epi8(2, -1, 5, -1, 8, -1, 11, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m128i upper_blue =
      _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 2, -1, 5, -1, 8, -1, 11, -1);
  const __m512i first = load_16(rgb), last = load_16(rgb + 48);
  const __m512i a = _mm512_shuffle_epi8(first, in_each_quarter(red_green)),
                b = _mm512_shuffle_epi8(last, in_each_quarter(red_green));
  const __m512i blue = _mm512_or_si512(_mm512_shuffle_epi8(first, in_each_quarter(lower_blue)),
                                       _mm512_shuffle_epi8(last, in_each_quarter(upper_blue)));
  return {Words(_mm512_unpacklo_epi64(a, b)), Words(_mm512_unpackhi_epi64(a, b)), Words(blue)};
}

// Interleaves words with red and green and words with blue, from word `first` / 2 of each quarter.
inline __m512i together(__m512i red_green, __m512i blue, char first) {
  const auto at = [first](int i) { return static_cast<char>(first + i); };
  const __m128i pairs = _mm_setr_epi8(at(0), at(1), -1, at(2), at(3), -1, at(4), at(5), -1, at(6),
                                      at(7), -1, -1, -1, -1, -1);
  const __m128i thirds =
      _mm_setr_epi8(-1, -1, at(0), -1, -1, at(2), -1, -1, at(4), -1, -1, at(6), -1, -1, -1, -1);
  return _mm512_or_si512(_mm512_shuffle_epi8(red_green, in_each_quarter(pairs)),
                         _mm512_shuffle_epi8(blue, in_each_quarter(thirds)));
}

inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  const __m512i red_green = __m512i(pixels.red | (pixels.green << 8)), blue = __m512i(pixels.blue);
  store_16(together(red_green, blue, 0), rgb);
  store_16(together(red_green, blue, 8), rgb + 48);
}

}  // namespace

extern const ColourKernels kColourAvx512{shift_hsv};

}  // namespace letterpress
