#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#define LETTERPRESS_OF(name) _mm256_##name

namespace letterpress {
namespace {

using Register = __m256i;

inline Register load(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const Register*>(bytes));
}

// Quarters 0 and 2 of what packing two registers gives belong to the first.
inline Register in_order(Register packed) { return _mm256_permute4x64_epi64(packed, 0b11011000); }

// The place of pixel i among 16 of which those at even places stand first.
constexpr int place_of_pixel(int i) { return i / 2 + i % 2 * 8; }

// Where bytes 16 * part.. of the 48 that 16 pixels become come from in each channel; 128: not from
// it.
constexpr std::array<std::array<std::uint8_t, 16>, 3> order_of(int part) {
  std::array<std::array<std::uint8_t, 16>, 3> order{};
  for (int i = 0; i < 16; ++i) {
    for (int c = 0; c < 3; ++c) {
      const int byte = 16 * part + i;
      order[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)] =
          byte % 3 == c ? static_cast<std::uint8_t>(place_of_pixel(byte / 3)) : std::uint8_t{128};
    }
  }
  return order;
}

// Of each half.
template <int part>
inline Register part_of(Register red, Register green, Register blue) {
  static constexpr auto kOrder = order_of(part);
  const auto taken = [](Register channel, const std::array<std::uint8_t, 16>& from) {
    return _mm256_shuffle_epi8(channel, _mm256_broadcastsi128_si256(_mm_loadu_si128(
                                            reinterpret_cast<const __m128i*>(from.data()))));
  };
  return taken(red, kOrder[0]) | taken(green, kOrder[1]) | taken(blue, kOrder[2]);
}

inline void store_interleaved(std::uint8_t* rgb, Register red, Register green, Register blue) {
  const Register first = part_of<0>(red, green, blue), second = part_of<1>(red, green, blue),
                 third = part_of<2>(red, green, blue);
  const auto store = [rgb](int at, Register value) {
    _mm256_storeu_si256(reinterpret_cast<Register*>(rgb + at), value);
  };
  store(0, _mm256_permute2x128_si256(first, second, 0x20));
  store(32, _mm256_permute2x128_si256(third, first, 0x30));
  store(64, _mm256_permute2x128_si256(second, third, 0x31));
}

}  // namespace
}  // namespace letterpress

#include "preprocess/pictures/ycc_registers.inl"

namespace letterpress {
extern const YccKernels kYccAvx2{to_rgb};
}
