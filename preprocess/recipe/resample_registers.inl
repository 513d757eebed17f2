// The loops of resampling over registers of any width. Each file that includes this compiles it for
// one instruction set, and defines before: Register (kQuarters times 16 bytes),
// LETTERPRESS_OF(name) (the intrinsic of that name for it), kNarrower (the loops for lines shorter
// than a register), load, load_words, store, zero, to_each_quarter, load_quarters and store_pixels.
// All is anonymous, so that the linker merges no two versions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

constexpr std::size_t kRegisterBytes = sizeof(Register);

// A byte less 128 in the upper half of a word, times the weight, is in 1/128. The sum of the terms
// cannot saturate: |sum| < 1.6 * 128 * 128 even where the cubic kernel overshoots. Adding the 128
// back saturates only at values that are clipped to 255 anyway.
template <int kRegisters>
inline void blend(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                  std::size_t at, std::uint8_t* out) {
  Register low[kRegisters], high[kRegisters];
  for (int v = 0; v < kRegisters; ++v) low[v] = high[v] = zero();
  for (int k = 0; k < taps; ++k) {
    const Register weights = LETTERPRESS_OF(set1_epi16)(weight[k]);
    for (int v = 0; v < kRegisters; ++v) {
      const Register centred =
          load(rows[k] + at + kRegisterBytes * v) ^ LETTERPRESS_OF(set1_epi8)(-128);
      const Register first = LETTERPRESS_OF(unpacklo_epi8)(zero(), centred),
                     second = LETTERPRESS_OF(unpackhi_epi8)(zero(), centred);
      low[v] = LETTERPRESS_OF(add_epi16)(low[v], LETTERPRESS_OF(mulhrs_epi16)(first, weights));
      high[v] = LETTERPRESS_OF(add_epi16)(high[v], LETTERPRESS_OF(mulhrs_epi16)(second, weights));
    }
  }
  const Register back = LETTERPRESS_OF(set1_epi16)((128 << 7) + (1 << 6));
  for (int v = 0; v < kRegisters; ++v) {
    const Register first = LETTERPRESS_OF(srai_epi16)(LETTERPRESS_OF(adds_epi16)(low[v], back), 7);
    const Register second =
        LETTERPRESS_OF(srai_epi16)(LETTERPRESS_OF(adds_epi16)(high[v], back), 7);
    store(out + at + kRegisterBytes * v, LETTERPRESS_OF(packus_epi16)(first, second));
  }
}

// kTaps 0: any number.
template <int kTaps>
void blend_taps(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                std::size_t n, std::uint8_t* out) {
  if constexpr (kTaps > 0) taps = kTaps;
  std::size_t i = 0;
  for (; i + 2 * kRegisterBytes <= n; i += 2 * kRegisterBytes) blend<2>(rows, weight, taps, i, out);
  for (; i + kRegisterBytes <= n; i += kRegisterBytes) blend<1>(rows, weight, taps, i, out);
  if (i < n) blend<1>(rows, weight, taps, n - kRegisterBytes, out);  // overlaps the register before
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                std::size_t n, std::uint8_t* out) {
  if (n < kRegisterBytes) return kNarrower.blend_rows(rows, weight, taps, n, out);
  switch (taps) {  // the common counts are unrolled
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

void blend_to_words(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                    std::size_t n, std::int16_t* out) {
  constexpr std::size_t kWords = kRegisterBytes / 2;
  if (n < kWords) return kNarrower.blend_to_words(rows, weight, taps, n, out);
  const auto blend_from = [&](std::size_t i) {
    Register sum = LETTERPRESS_OF(set1_epi16)(1 << 4);
    for (int k = 0; k < taps; ++k) {
      const Register centred = LETTERPRESS_OF(slli_epi16)(load_words(rows[k] + i), 8) ^
                               LETTERPRESS_OF(set1_epi16)(-0x8000);
      sum = LETTERPRESS_OF(add_epi16)(
          sum, LETTERPRESS_OF(mulhrs_epi16)(centred, LETTERPRESS_OF(set1_epi16)(weight[k])));
    }
    store(out + i, LETTERPRESS_OF(srai_epi16)(sum, 5));
  };
  std::size_t i = 0;
  for (; i + kWords <= n; i += kWords) blend_from(i);
  if (i < n) blend_from(n - kWords);
}

// Frame pixels are computed in groups of four sets. A register holds one set: the pixels i, i + 4,
// i + 8.., one per quarter, so that packing the four sets puts them in order. Two taps per step.
constexpr int kSets = 4, kGroup = kSets * kQuarters;

int steps_of(int taps) { return taps == 2 ? 1 : (taps + 3) / 4 * 2; }

// [group, set, step, quarter, 4] pairs: the two weights of a step, four times.
void arrange(AxisWeights& x) {
  const int groups = (x.count + kGroup - 1) / kGroup, steps = steps_of(x.taps);
  x.arranged.assign(static_cast<std::size_t>(groups * kSets * steps * kQuarters) * 8, 0);
  for (int i = 0; i < x.count; ++i) {
    const int set = i % kGroup % kSets, quarter = i % kGroup / kSets;
    std::int16_t* out =
        x.arranged.data() + ((i / kGroup * kSets + set) * steps * kQuarters + quarter) * 8;
    const std::int16_t* const weight = x.weight.data() + static_cast<std::ptrdiff_t>(i) * x.taps;
    for (int k = 0; k < x.taps; k += 2, out += 8 * kQuarters) {
      for (int copy = 0; copy < 4; ++copy) std::memcpy(out + 2 * copy, weight + k, 4);
    }
  }
}

// Bytes r0 g0 b0 r1 g1 b1 become words r0 r1 g0 g1 b0 b1: of the first two pixels of four, and of
// the other two.
inline Register first_two(Register bytes) {
  const __m128i order = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
  return LETTERPRESS_OF(shuffle_epi8)(bytes, to_each_quarter(order));
}
inline Register second_two(Register bytes) {
  const __m128i order = _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  return LETTERPRESS_OF(shuffle_epi8)(bytes, to_each_quarter(order));
}

inline Register add_taps(Register sum, Register words, const Register* weights) {
  return LETTERPRESS_OF(add_epi32)(sum, LETTERPRESS_OF(madd_epi16)(words, load(weights)));
}

// Returns a pixel per quarter as 32-bit numbers r g b 0. weights: `steps` registers.
inline Register set_of_pixels(const std::uint8_t* const* at, const Register* weights, int steps) {
  Register sum = LETTERPRESS_OF(set1_epi32)(1 << (kWeightBits - 1));
  if (steps == 1) {
    sum = add_taps(sum, first_two(load_quarters(at, 0)), weights);
  } else {
    for (int step = 0; step < steps; step += 2) {
      const Register bytes = load_quarters(at, std::ptrdiff_t{6} * step);
      sum = add_taps(sum, first_two(bytes), weights + step);
      sum = add_taps(sum, second_two(bytes), weights + step + 1);
    }
  }
  return LETTERPRESS_OF(srai_epi32)(sum, kWeightBits);
}

// Returns four pixels in the first 12 bytes of each quarter.
inline Register group_of_pixels(const std::uint8_t* line, const std::int32_t* start,
                                std::int32_t origin, const Register* weights, int steps) {
  Register pixels[kSets];
  for (int set = 0; set < kSets; ++set) {
    const std::uint8_t* at[kQuarters];
    for (int i = 0; i < kQuarters; ++i)
      at[i] = line + 3 * std::ptrdiff_t{start[set + kSets * i] - origin};
    pixels[set] = set_of_pixels(at, weights + set * steps, steps);
  }
  const Register words = LETTERPRESS_OF(packs_epi32)(pixels[0], pixels[1]),
                 more = LETTERPRESS_OF(packs_epi32)(pixels[2], pixels[3]);
  const __m128i no_gaps = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  return LETTERPRESS_OF(shuffle_epi8)(LETTERPRESS_OF(packus_epi16)(words, more),
                                      to_each_quarter(no_gaps));
}

template <int kSteps>
void gather_groups(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
                   std::uint8_t* out) {
  const int steps = kSteps > 0 ? kSteps : steps_of(x.taps);
  const auto* weights = reinterpret_cast<const Register*>(x.arranged.data());
  int i = 0;
  for (; i + kGroup <= x.count; i += kGroup, weights += kSets * steps, out += 3 * kGroup)
    store_pixels(out, group_of_pixels(line, x.start.data() + i, origin, weights, steps));
  if (i == x.count) return;
  std::int32_t start[kGroup];
  for (int j = 0; j < kGroup; ++j)
    start[j] = x.start[static_cast<std::size_t>(std::min(i + j, x.count - 1))];
  std::uint8_t rest[3 * kGroup];
  store_pixels(rest, group_of_pixels(line, start, origin, weights, steps));
  std::memcpy(out, rest, 3 * static_cast<std::size_t>(x.count - i));
}

void gather(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
            std::uint8_t* out) {
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
}  // namespace letterpress
