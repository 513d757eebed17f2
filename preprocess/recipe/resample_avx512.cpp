#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

// 64 bytes per vector of the blend. A byte less 128 in the upper half of a word, times the weight, is in 1/128; the sum of the terms cannot
// saturate: |sum| < 1.6 * 128 * 128 even for the cubic kernel's overshoot. Adding the 128 back saturates at what is clipped to 255 anyway.
template <int kVectors>
inline void blend(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t at, std::uint8_t* out) {
  __m512i low[kVectors], high[kVectors];
  for (int v = 0; v < kVectors; ++v) low[v] = high[v] = _mm512_setzero_si512();
  for (int k = 0; k < taps; ++k) {
    const __m512i weights = _mm512_set1_epi16(weight[k]);
    for (int v = 0; v < kVectors; ++v) {
      const __m512i bytes = _mm512_loadu_si512(reinterpret_cast<const __m512i*>(rows[k] + at) + v);
      const __m512i centred = _mm512_xor_si512(bytes, _mm512_set1_epi8(-128));
      low[v] = _mm512_add_epi16(low[v], _mm512_mulhrs_epi16(_mm512_unpacklo_epi8(_mm512_setzero_si512(), centred), weights));
      high[v] = _mm512_add_epi16(high[v], _mm512_mulhrs_epi16(_mm512_unpackhi_epi8(_mm512_setzero_si512(), centred), weights));
    }
  }
  const __m512i back = _mm512_set1_epi16((128 << 7) + (1 << 6));
  for (int v = 0; v < kVectors; ++v) {
    const __m512i left = _mm512_srai_epi16(_mm512_adds_epi16(low[v], back), 7);
    const __m512i right = _mm512_srai_epi16(_mm512_adds_epi16(high[v], back), 7);
    _mm512_storeu_si512(reinterpret_cast<__m512i*>(out + at) + v, _mm512_packus_epi16(left, right));
  }
}

// kTaps 0: any number.
template <int kTaps>
void blend_taps(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  if constexpr (kTaps > 0) taps = kTaps;
  std::size_t i = 0;
  for (; i + 128 <= n; i += 128) blend<2>(rows, weight, taps, i, out);
  for (; i + 64 <= n; i += 64) blend<1>(rows, weight, taps, i, out);
  if (i < n) blend<1>(rows, weight, taps, n - 64, out);  // the last 64 again, overlapping
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps, std::size_t n, std::uint8_t* out) {
  if (n < 64) return kResampleAvx2.blend_rows(rows, weight, taps, n, out);
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

// Sixteen frame pixels at a time. Each register holds four of them, i, i + 4, i + 8 and i + 12, so that packing ends in order; two taps per
// step.
constexpr int kGroup = 16, kFours = 4;

int steps_of(int taps) { return taps == 2 ? 1 : (taps + 3) / 4 * 2; }

// [group, four, step, quarter of the register, 4]: the two weights of a step, four times.
void arrange(AxisWeights& x) {
  const int groups = (x.count + kGroup - 1) / kGroup, steps = steps_of(x.taps);
  x.arranged.assign(static_cast<std::size_t>(groups * kFours * steps) * 32, 0);
  for (int i = 0; i < x.count; ++i) {
    const int four = i % kGroup % kFours, quarter = i % kGroup / kFours;
    std::int16_t* out = x.arranged.data() + ((i / kGroup * kFours + four) * steps * 4 + quarter) * 8;
    const std::int16_t* const weight = x.weight.data() + static_cast<std::ptrdiff_t>(i) * x.taps;
    for (int k = 0; k < x.taps; k += 2, out += 32) {
      for (int copy = 0; copy < 4; ++copy) std::memcpy(out + 2 * copy, weight + k, 4);
    }
  }
}

// Bytes r0 g0 b0 r1 g1 b1 become words r0 r1 g0 g1 b0 b1, of the first and of the second two pixels of four.
inline __m512i first_two(__m512i bytes) {
  return _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(_mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1)));
}
inline __m512i second_two(__m512i bytes) {
  return _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(_mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1)));
}

// Where the taps of the four pixels of a register begin.
using Places = std::array<const std::uint8_t*, 4>;

inline __m512i load_four(const Places& at, std::ptrdiff_t offset) {
  const auto quarter = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at[static_cast<std::size_t>(i)] + offset)); };
  const __m512i front = _mm512_inserti32x4(_mm512_castsi128_si512(quarter(0)), quarter(1), 1);
  return _mm512_inserti32x4(_mm512_inserti32x4(front, quarter(2), 2), quarter(3), 3);
}

// Four pixels as 32-bit numbers r g b 0; weights: `steps` registers.
inline __m512i four_pixels(const Places& at, const __m512i* weights, int steps) {
  __m512i sum = _mm512_set1_epi32(1 << (kWeightBits - 1));
  if (steps == 1) {
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(first_two(load_four(at, 0)), _mm512_loadu_si512(weights)));
  } else {
    for (int step = 0; step < steps; step += 2) {
      const __m512i bytes = load_four(at, std::ptrdiff_t{6} * step);
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(first_two(bytes), _mm512_loadu_si512(weights + step)));
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(second_two(bytes), _mm512_loadu_si512(weights + step + 1)));
    }
  }
  return _mm512_srai_epi32(sum, kWeightBits);
}

// 48 bytes, and 16 that mean nothing.
inline __m512i sixteen_pixels(const std::uint8_t* line, const std::int32_t* start, std::int32_t origin, const __m512i* weights, int steps) {
  __m512i pixels[kFours];
  for (int four = 0; four < kFours; ++four) {
    const auto at = [&](int i) { return line + 3 * std::ptrdiff_t{start[four + kFours * i] - origin}; };
    pixels[four] = four_pixels({at(0), at(1), at(2), at(3)}, weights + four * steps, steps);
  }
  const __m512i words = _mm512_packs_epi32(pixels[0], pixels[1]), more = _mm512_packs_epi32(pixels[2], pixels[3]);
  const __m512i no_gaps = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
  const __m512i bytes = _mm512_shuffle_epi8(_mm512_packus_epi16(words, more), no_gaps);
  return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), bytes);
}

template <int kSteps>
void gather_groups(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin, std::uint8_t* out) {
  const int steps = kSteps > 0 ? kSteps : steps_of(x.taps);
  const auto* weights = reinterpret_cast<const __m512i*>(x.arranged.data());
  int i = 0;
  for (; i + kGroup <= x.count; i += kGroup, weights += kFours * steps, out += 3 * kGroup) {
    const __m512i bytes = sixteen_pixels(line, x.start.data() + i, origin, weights, steps);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 32), _mm512_extracti32x4_epi32(bytes, 2));
  }
  if (i == x.count) return;
  std::int32_t start[kGroup];
  for (int j = 0; j < kGroup; ++j) start[j] = x.start[static_cast<std::size_t>(std::min(i + j, x.count - 1))];
  std::uint8_t rest[64];
  _mm512_storeu_si512(rest, sixteen_pixels(line, start, origin, weights, steps));
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

extern const ResampleKernels kResampleAvx512{blend_rows, arrange, gather};

}  // namespace letterpress
