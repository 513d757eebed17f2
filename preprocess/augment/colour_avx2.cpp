#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 16
#include "preprocess/augment/colour_registers.inl"

namespace letterpress {
namespace {

inline __m256i in_halves(__m128i left, __m128i right) { return _mm256_set_m128i(right, left); }

// 8 pixels: 0..3 are bytes 0..11 of the left half, 4..7 are bytes 4..15 of the right one, so that
// no more than 24 bytes are read.
inline __m256i load_8(const std::uint8_t* rgb) {
  return in_halves(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb)),
                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(rgb + 8)));
}
// Four pixels in the first 12 bytes of each half.
inline void store_8(__m256i pixels, std::uint8_t* rgb) {
  const __m256i bytes =
      _mm256_permutevar8x32_epi32(pixels, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb), _mm256_castsi256_si128(bytes));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(rgb + 16), _mm256_extracti128_si256(bytes, 1));
}

// Four bytes of one channel, from `first` on, as words in the lower or in the upper eight bytes.
inline std::int64_t every_third(int first) {
  std::int64_t places = 0;
  for (int i = 0; i < 4; ++i) places |= (std::int64_t{0xFF00} | (first + 3 * i)) << (16 * i);
  return places;
}
inline __m256i channels(__m256i pixels, int lower, int upper) {
  const auto words = [](int first) { return first < 0 ? std::int64_t{-1} : every_third(first); };
  const auto later = [](int first) { return first < 0 ? first : first + 4; };
  const __m128i left = _mm_set_epi64x(words(upper), words(lower)),
                right = _mm_set_epi64x(words(later(upper)), words(later(lower)));
  return _mm256_shuffle_epi8(pixels, in_halves(left, right));
}

// Each half of a channel holds four of the first 8 pixels, then four of the last.
inline Pixels load_pixels(const std::uint8_t* rgb) {
  const __m256i first = load_8(rgb), last = load_8(rgb + 24);
  const __m256i a = channels(first, 0, 1), b = channels(last, 0, 1);
  const __m256i blue = _mm256_or_si256(channels(first, 2, -1), channels(last, -1, 2));
  return {Words(_mm256_unpacklo_epi64(a, b)), Words(_mm256_unpackhi_epi64(a, b)), Words(blue)};
}

// Interleaves words with red and green and words with blue, from word `first` / 2 of each half.
inline __m256i together(__m256i red_green, __m256i blue, char first) {
  const auto at = [first](int i) { return static_cast<char>(first + i); };
  const __m128i pairs = _mm_setr_epi8(at(0), at(1), -1, at(2), at(3), -1, at(4), at(5), -1, at(6),
                                      at(7), -1, -1, -1, -1, -1);
  const __m128i thirds =
      _mm_setr_epi8(-1, -1, at(0), -1, -1, at(2), -1, -1, at(4), -1, -1, at(6), -1, -1, -1, -1);
  return _mm256_or_si256(_mm256_shuffle_epi8(red_green, in_halves(pairs, pairs)),
                         _mm256_shuffle_epi8(blue, in_halves(thirds, thirds)));
}

inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  const __m256i red_green = __m256i(pixels.red | (pixels.green << 8)), blue = __m256i(pixels.blue);
  store_8(together(red_green, blue, 0), rgb);
  store_8(together(red_green, blue, 8), rgb + 24);
}

}  // namespace

extern const ColourKernels kColourAvx2{shift_hsv};

}  // namespace letterpress
