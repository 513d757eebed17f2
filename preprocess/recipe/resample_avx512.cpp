#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "preprocess/recipe/resample_kernels.h"

#define LETTERPRESS_OF(name) _mm512_##name

namespace letterpress {
namespace {

using Register = __m512i;
constexpr int kQuarters = 4;
constexpr const ResampleKernels& kNarrower = kResampleAvx2;

inline Register load(const void* bytes) { return _mm512_loadu_si512(bytes); }
inline Register load_words(const std::uint8_t* bytes) {
  return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes)));
}
inline void store(void* bytes, Register value) { _mm512_storeu_si512(bytes, value); }
inline Register zero() { return _mm512_setzero_si512(); }
inline Register to_each_quarter(__m128i value) { return _mm512_broadcast_i32x4(value); }

inline Register load_quarters(const std::uint8_t* const* at, std::ptrdiff_t offset) {
  const auto quarter = [&](int i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at[i] + offset));
  };
  const Register front = _mm512_inserti32x4(_mm512_castsi128_si512(quarter(0)), quarter(1), 1);
  return _mm512_inserti32x4(_mm512_inserti32x4(front, quarter(2), 2), quarter(3), 3);
}

// The first 12 bytes of each quarter.
inline void store_pixels(std::uint8_t* out, Register value) {
  const Register bytes = _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), value);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(bytes));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 32), _mm512_extracti32x4_epi32(bytes, 2));
}

}  // namespace
}  // namespace letterpress

#include "preprocess/recipe/resample_registers.inl"

namespace letterpress {
extern const ResampleKernels kResampleAvx512{blend_rows, blend_to_words, arrange, gather};
}
