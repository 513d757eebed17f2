#include <immintrin.h>

#include "trainer/loader/pixels/pixel_kernels.h"

// SSE2, which every x86-64 processor has.
namespace letterpress {
namespace {

void copy(const std::uint8_t* bytes, std::size_t n, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + i)));
  }
  _mm_sfence();
}

struct Quotients {
  __m128 parts[4];
};

// Of 16 bytes.
Quotients divided(const std::uint8_t* bytes) {
  const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)),
                zero = _mm_setzero_si128();
  const __m128i low = _mm_unpacklo_epi8(packed, zero), high = _mm_unpackhi_epi8(packed, zero);
  const auto quotient = [](__m128i numbers) {
    return _mm_div_ps(_mm_cvtepi32_ps(numbers), _mm_set1_ps(255));
  };
  return {{quotient(_mm_unpacklo_epi16(low, zero)), quotient(_mm_unpackhi_epi16(low, zero)),
           quotient(_mm_unpacklo_epi16(high, zero)), quotient(_mm_unpackhi_epi16(high, zero))}};
}

void to_float32(const std::uint8_t* bytes, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; i += 16) {
    const Quotients quotients = divided(bytes + i);
    for (std::size_t k = 0; k < 4; ++k) _mm_stream_ps(out + i + 4 * k, quotients.parts[k]);
  }
  _mm_sfence();
}

// Four numbers, each the upper half of a float, sign-extended to 32 bits.
__m128i rounded(__m128 numbers) {
  const __m128i bits = _mm_castps_si128(numbers);
  const __m128i is_odd = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
  return _mm_srai_epi32(_mm_add_epi32(bits, _mm_add_epi32(is_odd, _mm_set1_epi32(0x7FFF))), 16);
}

void to_bfloat16(const std::uint8_t* bytes, std::size_t n, std::uint16_t* out) {
  for (std::size_t i = 0; i < n; i += 16) {
    const Quotients quotients = divided(bytes + i);
    for (std::size_t k = 0; k < 4; k += 2) {
      const __m128i eight =
          _mm_packs_epi32(rounded(quotients.parts[k]), rounded(quotients.parts[k + 1]));
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + i + 4 * k), eight);
    }
  }
  _mm_sfence();
}

}  // namespace

extern const PixelKernels kPixelBaseline{"SSE2", copy, to_float32, to_bfloat16};

}  // namespace letterpress
