#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "preprocess/recipe/resample_kernels.h"

#define LETTERPRESS_OF(name) _mm256_##name

namespace letterpress {
namespace {

using Register = __m256i;
constexpr int kQuarters = 2;
constexpr const ResampleKernels& kNarrower = kResampleBaseline;

inline Register load(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const Register*>(bytes));
}
inline Register load_words(const std::uint8_t* bytes) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}
inline void store(void* bytes, Register value) {
  _mm256_storeu_si256(static_cast<Register*>(bytes), value);
}
inline Register zero() { return _mm256_setzero_si256(); }
inline Register to_each_quarter(__m128i value) { return _mm256_broadcastsi128_si256(value); }

inline Register load_quarters(const std::uint8_t* const* at, std::ptrdiff_t offset) {
  const auto quarter = [&](int i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at[i] + offset));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(quarter(0)), quarter(1), 1);
}

// The first 12 bytes of each quarter.
inline void store_pixels(std::uint8_t* out, Register value) {
  const Register bytes =
      _mm256_permutevar8x32_epi32(value, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(bytes));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 16), _mm256_extracti128_si256(bytes, 1));
}

}  // namespace
}  // namespace letterpress

#include "preprocess/recipe/resample_registers.inl"

namespace letterpress {
extern const ResampleKernels kResampleAvx2{blend_rows, blend_to_words, arrange, gather};
}
