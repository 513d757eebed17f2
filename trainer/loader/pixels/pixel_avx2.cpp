#include <immintrin.h>

#include "trainer/loader/pixels/pixel_kernels.h"

namespace letterpress {
namespace {

void copy(const std::uint8_t* bytes, std::size_t n, std::uint8_t* out) {
  for (std::size_t i = 0; i < n; i += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i)));
  }
  _mm_sfence();
}

// Of 8 bytes.
__m256 divided(const std::uint8_t* bytes) {
  const __m256 numbers = _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))));
  return _mm256_fmadd_ps(numbers, _mm256_set1_ps(kInverse255),
                         _mm256_mul_ps(numbers, _mm256_set1_ps(kInverseRest)));
}

void to_float32(const std::uint8_t* bytes, std::size_t n, float* out) {
  for (std::size_t i = 0; i < n; i += 8) _mm256_stream_ps(out + i, divided(bytes + i));
  _mm_sfence();
}

// Eight numbers, each the upper half of a float, in 32 bits.
__m256i rounded(__m256 numbers) {
  const __m256i bits = _mm256_castps_si256(numbers);
  const __m256i is_odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  return _mm256_srli_epi32(
      _mm256_add_epi32(bits, _mm256_add_epi32(is_odd, _mm256_set1_epi32(0x7FFF))), 16);
}

void to_bfloat16(const std::uint8_t* bytes, std::size_t n, std::uint16_t* out) {
  for (std::size_t i = 0; i < n; i += 16) {
    // Packing works in each half of the register: the quarters come out as 0 2 1 3.
    const __m256i mixed =
        _mm256_packus_epi32(rounded(divided(bytes + i)), rounded(divided(bytes + i + 8)));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm256_permute4x64_epi64(mixed, 0b11011000));
  }
  _mm_sfence();
}

}  // namespace

extern const PixelKernels kPixelAvx2{"AVX2", copy, to_float32, to_bfloat16};

}  // namespace letterpress
