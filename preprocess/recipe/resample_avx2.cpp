#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

// 32 bytes per vector of the blend. A byte less 128 in the upper half of a word, times the weight, is in 1/128; the sum of the terms cannot
// saturate: |sum| < 1.6 * 128 * 128 even for the cubic kernel's overshoot. Adding the 128 back saturates at what is clipped to 255 anyway.
template <int kVectors>
inline void blend(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t at, std::uint8_t* out) {
  __m256i low[kVectors], high[kVectors];
  for (int v = 0; v < kVectors; ++v) low[v] = high[v] = _mm256_setzero_si256();
  for (int k = 0; k < taps; ++k) {
    const __m256i weights = _mm256_set1_epi16(weight[k]);
    for (int v = 0; v < kVectors; ++v) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[k] + at) + v);
      const __m256i centred = _mm256_xor_si256(bytes, _mm256_set1_epi8(-128));
      low[v] = _mm256_add_epi16(low[v], _mm256_mulhrs_epi16(_mm256_unpacklo_epi8(_mm256_setzero_si256(), centred), weights));
      high[v] = _mm256_add_epi16(high[v], _mm256_mulhrs_epi16(_mm256_unpackhi_epi8(_mm256_setzero_si256(), centred), weights));
    }
  }
  const __m256i back = _mm256_set1_epi16((128 << 7) + (1 << 6));
  for (int v = 0; v < kVectors; ++v) {
    const __m256i left = _mm256_srai_epi16(_mm256_adds_epi16(low[v], back), 7);
    const __m256i right = _mm256_srai_epi16(_mm256_adds_epi16(high[v], back), 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at) + v, _mm256_packus_epi16(left, right));
  }
}

// kTaps 0: any number.
template <int kTaps>
void blend_taps(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  if constexpr (kTaps > 0) taps = kTaps;
  std::size_t i = 0;
  for (; i + 64 <= n; i += 64) blend<2>(rows, weight, taps, i, out);
  for (; i + 32 <= n; i += 32) blend<1>(rows, weight, taps, i, out);
  if (i < n) blend<1>(rows, weight, taps, n - 32, out);  // the last 32 again, overlapping
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  if (n < 32) return kResampleBaseline.blend_rows(rows, weight, taps, n, out);
  switch (taps) {  // the counts that are common are unrolled
    case 2:
      return blend_taps<2>(rows, weight, taps, n, out);
    case 3:
      return blend_taps<3>(rows, weight, taps, n, out);
    case 4:
      return blend_taps<4>(rows, weight, taps, n, out);
    default:
      return blend_taps<0>(rows, weight, taps, n, out);
  }
}

// Eight frame pixels at a time. Each register holds two of them, i and i + 4, so that packing ends in order; two taps per step.
constexpr int kGroup = 8, kPairs = 4;

int steps_of(int taps) { return taps == 2 ? 1 : (taps + 3) / 4 * 2; }

// [group, pair, step, half of the register, 4]: the two weights of a step, four times.
void arrange(AxisWeights& x) {
  const int groups = (x.count + kGroup - 1) / kGroup, steps = steps_of(x.taps);
  x.arranged.assign(static_cast<std::size_t>(groups * kPairs * steps) * 16, 0);
  for (int i = 0; i < x.count; ++i) {
    const int pair = i % kGroup % kPairs, half = i % kGroup / kPairs;
    std::int16_t* out = x.arranged.data() + ((i / kGroup * kPairs + pair) * steps * 2 + half) * 8;
    const std::int16_t* const weight = x.weight.data() + static_cast<std::ptrdiff_t>(i) * x.taps;
    for (int k = 0; k < x.taps; k += 2, out += 16) {
      for (int copy = 0; copy < 4; ++copy) std::memcpy(out + 2 * copy, weight + k, 4);
    }
  }
}

// Bytes r0 g0 b0 r1 g1 b1 become words r0 r1 g0 g1 b0 b1, of the first and of the second two pixels of four.
inline __m256i first_two(__m256i bytes) {
  return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1)));
}
inline __m256i second_two(__m256i bytes) {
  return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(_mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1)));
}

inline __m256i load_two(const std::uint8_t* left, const std::uint8_t* right) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(left));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_loadu_si128(reinterpret_cast<const __m128i*>(right)), 1);
}

// Two pixels as 32-bit numbers r g b 0; weights: `steps` registers.
inline __m256i two_pixels(const std::uint8_t* left, const std::uint8_t* right, const __m256i* weights, int steps) {
  __m256i sum = _mm256_set1_epi32(1 << (kWeightBits - 1));
  if (steps == 1) {
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(first_two(load_two(left, right)), _mm256_loadu_si256(weights)));
  } else {
    for (int step = 0; step < steps; step += 2, left += 12, right += 12) {
      const __m256i bytes = load_two(left, right);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(first_two(bytes), _mm256_loadu_si256(weights + step)));
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(second_two(bytes), _mm256_loadu_si256(weights + step + 1)));
    }
  }
  return _mm256_srai_epi32(sum, kWeightBits);
}

// 24 bytes, and 8 that mean nothing.
inline __m256i eight_pixels(const std::uint8_t* line, const std::int32_t* start, std::int32_t origin, const __m256i* weights, int steps) {
  __m256i pixels[kPairs];
  for (int pair = 0; pair < kPairs; ++pair)
    pixels[pair] = two_pixels(line + 3 * std::ptrdiff_t{start[pair] - origin}, line + 3 * std::ptrdiff_t{start[pair + kPairs] - origin},
                              weights + pair * steps, steps);
  const __m256i words = _mm256_packs_epi32(pixels[0], pixels[1]), more = _mm256_packs_epi32(pixels[2], pixels[3]);
  const __m256i no_gaps = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_packus_epi16(words, more), no_gaps);
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
}

template <int kSteps>
void gather_groups(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin, std::uint8_t* out) {
  const int steps = kSteps > 0 ? kSteps : steps_of(x.taps);
  const auto* weights = reinterpret_cast<const __m256i*>(x.arranged.data());
  int i = 0;
  for (; i + kGroup <= x.count; i += kGroup, weights += kPairs * steps, out += 3 * kGroup) {
    const __m256i bytes = eight_pixels(line, x.start.data() + i, origin, weights, steps);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(bytes));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 16), _mm256_extracti128_si256(bytes, 1));
  }
  if (i == x.count) return;
  std::int32_t start[kGroup];
  for (int j = 0; j < kGroup; ++j) start[j] = x.start[static_cast<std::size_t>(std::min(i + j, x.count - 1))];
  alignas(32) std::uint8_t rest[32];
  _mm256_store_si256(reinterpret_cast<__m256i*>(rest), eight_pixels(line, start, origin, weights, steps));
  std::memcpy(out, rest, 3 * static_cast<std::size_t>(x.count - i));
}

void gather(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin, std::uint8_t* out) {
  switch (steps_of(x.taps)) {
    case 1:
      return gather_groups<1>(line, x, origin, out);
    case 2:
      return gather_groups<2>(line, x, origin, out);
    default:
      return gather_groups<0>(line, x, origin, out);
  }
}

}  // namespace

extern const ResampleKernels kResampleAvx2{blend_rows, arrange, gather};

}  // namespace letterpress
