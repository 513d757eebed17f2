#include <immintrin.h>

#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

// 16 bytes of the blend. The saturating sum cannot saturate: |sum| < 1.6 * 255 * 64 even for the cubic kernel's overshoot.
inline __m128i blend16(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t at) {
  __m256i sum = _mm256_set1_epi16(1 << 5);
  for (int k = 0; k < taps; ++k) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[k] + at));
    const __m256i words = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 7);
    sum = _mm256_adds_epi16(sum, _mm256_mulhrs_epi16(words, _mm256_set1_epi16(weight[k])));
  }
  sum = _mm256_srai_epi16(sum, 6);
  return _mm_packus_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), blend16(rows, weight, taps, i));
  if (i == n) return;
  if (n >= 16) {  // the last 16 again, overlapping
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + n - 16), blend16(rows, weight, taps, n - 16));
    return;
  }
  kResampleBaseline.blend_rows(rows, weight, taps, n, out);
}

// Two frame pixels at a time, one in each half of the registers; per step two taps: bytes r0 g0 b0 r1 g1 b1 become words r0 r1 g0 g1 b0 b1.
inline __m256i two_pixels(const std::uint8_t* left, const std::uint8_t* right, const std::int16_t* weight, int taps) {
  const __m256i pairs = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1));
  __m256i sum = _mm256_set1_epi32(1 << (kWeightBits - 1));
  for (int k = 0; k < taps; k += 2) {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(left + 3 * k));
    const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(right + 3 * k));
    const __m256i words = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), pairs);
    std::int32_t first, second;
    std::memcpy(&first, weight + k, sizeof first);
    std::memcpy(&second, weight + taps + k, sizeof second);
    const __m256i weights = _mm256_set_m128i(_mm_set1_epi32(second), _mm_set1_epi32(first));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(words, weights));
  }
  sum = _mm256_srai_epi32(sum, kWeightBits);
  const __m256i words = _mm256_packs_epi32(sum, sum);
  return _mm256_packus_epi16(words, words);
}

void gather(const std::uint8_t* line, const std::int32_t* start, std::int32_t origin, const std::int16_t* weight, int taps, int count,
            std::uint8_t* out) {
  // Each pixel is stored as 4 bytes, the next one overwrites the fourth: the last two pixels are left to the plain loop.
  int i = 0;
  for (; i + 3 < count; i += 2, weight += 2 * taps, out += 6) {
    const __m256i bytes = two_pixels(line + 3 * (start[i] - origin), line + 3 * (start[i + 1] - origin), weight, taps);
    const std::int32_t left = _mm256_extract_epi32(bytes, 0), right = _mm256_extract_epi32(bytes, 4);
    std::memcpy(out, &left, sizeof left);
    std::memcpy(out + 3, &right, sizeof right);
  }
  kResampleBaseline.gather(line, start + i, origin, weight, taps, count - i, out);
}

}  // namespace

extern const ResampleKernels kResampleAvx2{blend_rows, gather};

}  // namespace letterpress
