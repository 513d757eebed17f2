#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "preprocess/recipe/resample_kernels.h"

namespace letterpress {
namespace {

// Five frame pixels at a time: fifteen of sixteen lanes of 32 bits, in the frame's order. One
// permutation takes any bytes of one or two registers, in which all taps of the five lie.
constexpr int kPixels = 5, kMostTaps = 8;
constexpr int kWords = 32;  // of a register
constexpr std::ptrdiff_t kRegisterBytes = 64;

// The last byte of the five's taps: with so many taps a picture shrinks by half as much at most,
// with two by 1.5; the five begin 4 times that apart, and one more by rounding.
constexpr int farthest_byte(int taps) {
  return 3 * ((kPixels - 1) * std::max(taps, 3) / 2 + 1 + taps) - 1;
}
static_assert(farthest_byte(kMostTaps) < 2 * kRegisterBytes && kLineSlack >= 2 * kRegisterBytes);

// The first source pixel of the five from `first` on; they run backwards where the picture is
// mirrored.
std::int32_t window_of(const AxisWeights& x, int first) {
  const int last = std::min(first + kPixels, x.count) - 1;
  return std::min(x.start[static_cast<std::size_t>(first)],
                  x.start[static_cast<std::size_t>(last)]);
}

// [five, step of two taps, {place, weight}, lane, 2]: places are bytes from the window's first.
void arrange(AxisWeights& x) {
  if (x.taps > kMostTaps) return kResampleAvx512.arrange(x);
  const int fives = (x.count + kPixels - 1) / kPixels, steps = x.taps / 2;
  x.arranged.assign(static_cast<std::size_t>(fives * steps * 2 * kWords), 0);
  for (int i = 0; i < x.count; ++i) {
    const int first = i / kPixels * kPixels,
              from_window = x.start[static_cast<std::size_t>(i)] - window_of(x, first);
    for (int k = 0; k < x.taps; ++k) {
      std::int16_t* const out =
          x.arranged.data() + (i / kPixels * steps + k / 2) * 2 * kWords + 6 * (i - first) + k % 2;
      for (int c = 0; c < 3; ++c) {
        out[2 * c] = static_cast<std::int16_t>(3 * (from_window + k) + c);
        out[2 * c + kWords] = x.weight[static_cast<std::size_t>(i * x.taps + k)];
      }
    }
  }
}

// Five pixels, and a byte that means nothing; steps: of two taps.
template <int kSteps>
inline __m128i five_pixels(const std::uint8_t* window, const std::int16_t* arranged) {
  constexpr __mmask64 kLowBytes = 0x5555555555555555;  // of words
  constexpr bool kTwoRegisters = farthest_byte(2 * kSteps) >= kRegisterBytes;
  const __m512i bytes = _mm512_loadu_si512(window),
                more = kTwoRegisters ? _mm512_loadu_si512(window + kRegisterBytes) : bytes;
  __m512i sum = _mm512_set1_epi32(1 << (kWeightBits - 1));
  for (int step = 0; step < kSteps; ++step, arranged += 2 * kWords) {
    const __m512i places = _mm512_load_si512(arranged);
    const __m512i taps = kTwoRegisters
                             ? _mm512_maskz_permutex2var_epi8(kLowBytes, bytes, places, more)
                             : _mm512_maskz_permutexvar_epi8(kLowBytes, places, bytes);
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(taps, _mm512_load_si512(arranged + kWords)));
  }
  return _mm512_cvtusepi32_epi8(
      _mm512_max_epi32(_mm512_srai_epi32(sum, kWeightBits), _mm512_setzero_si512()));
}

template <int kSteps>
void gather_fives(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
                  std::uint8_t* out) {
  const std::int16_t* arranged = x.arranged.data();
  const auto pixels_from = [&](int i) {
    return five_pixels<kSteps>(line + 3 * std::ptrdiff_t{window_of(x, i) - origin}, arranged);
  };
  int i = 0;
  for (; i + kPixels < x.count; i += kPixels, arranged += 2 * kSteps * kWords, out += 3 * kPixels)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     pixels_from(i));  // its last byte is written over by the next five
  std::uint8_t rest[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), pixels_from(i));
  std::memcpy(out, rest, 3 * static_cast<std::size_t>(x.count - i));
}

void gather(const std::uint8_t* line, const AxisWeights& x, std::int32_t origin,
            std::uint8_t* out) {
  if (x.taps > kMostTaps) return kResampleAvx512.gather(line, x, origin, out);
  switch (x.taps / 2) {
    case 1:
      return gather_fives<1>(line, x, origin, out);
    case 2:
      return gather_fives<2>(line, x, origin, out);
    case 3:
      return gather_fives<3>(line, x, origin, out);
    default:
      return gather_fives<4>(line, x, origin, out);
  }
}

void blend_rows(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                std::size_t n, std::uint8_t* out) {
  kResampleAvx512.blend_rows(rows, weight, taps, n, out);
}

void blend_to_words(const std::uint8_t* const* rows, const std::int16_t* weight, int taps,
                    std::size_t n, std::int16_t* out) {
  kResampleAvx512.blend_to_words(rows, weight, taps, n, out);
}

}  // namespace

extern const ResampleKernels kResampleVbmi{blend_rows, blend_to_words, arrange, gather};

}  // namespace letterpress
