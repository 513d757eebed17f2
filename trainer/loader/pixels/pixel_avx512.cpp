#include <immintrin.h>

#include "trainer/loader/pixels/pixel_kernels.h"

namespace letterpress {
namespace {

void copy(const std::uint8_t* bytes, std::size_t n, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; i += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out + i), _mm512_loadu_si512(bytes + i));
  }
  _mm_sfence();
}

// Of 16 bytes.
__m512 divided(const std::uint8_t* bytes) {
  const __m512 numbers = _mm512_cvtepi32_ps(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
  return _mm512_fmadd_ps(numbers, _mm512_set1_ps(kInverse255),
                         _mm512_mul_ps(numbers, _mm512_set1_ps(kInverseRest)));
}

void to_float32(const std::uint8_t* bytes, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; i += 16) _mm512_stream_ps(out + i, divided(bytes + i));
  _mm_sfence();
}

// Sixteen numbers, each the upper half of a float.
__m256i rounded(__m512 numbers) {
  const __m512i bits = _mm512_castps_si512(numbers);
  const __m512i is_odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(
      _mm512_add_epi32(bits, _mm512_add_epi32(is_odd, _mm512_set1_epi32(0x7FFF))), 16));
}

void to_bfloat16(const std::uint8_t* bytes, std::size_t n, std::uint16_t* out) {
  for (std::size_t i = 0; i < n; i += 32) {
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(rounded(divided(bytes + i))),
                                            rounded(divided(bytes + i + 16)), 1);
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out + i), both);
  }
  _mm_sfence();
}

}  // namespace

extern const PixelKernels kPixelAvx512{"AVX-512", copy, to_float32, to_bfloat16};

}  // namespace letterpress
