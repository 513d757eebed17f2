#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#define LETTERPRESS_OF(name) _mm512_##name

namespace letterpress {
namespace {

using Register = __m512i;

inline Register load(const void* bytes) { return _mm512_loadu_si512(bytes); }

// Packing takes quarters of the two in turn.
inline Register in_order(Register packed) {
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed);
}

// The place of pixel i: of each 16, those at even places stand first.
constexpr std::size_t place_of_pixel(std::size_t i) { return i / 16 * 16 + i % 16 / 2 + i % 2 * 8; }

// Where byte i of the interleaved comes from: from red (0..63) or green (64..127) at once, then
// from blue under a mask.
struct Order {
  alignas(64) std::array<std::uint8_t, 64> red_green{}, blue{};
  std::uint64_t is_blue = 0;
};

constexpr std::array<Order, 3> orders() {
  std::array<Order, 3> found{};
  for (std::size_t i = 0; i < 192; ++i) {
    Order& order = found[i / 64];
    const auto pixel = static_cast<std::uint8_t>(place_of_pixel(i / 3));
    order.red_green[i % 64] = static_cast<std::uint8_t>(pixel + (i % 3 == 1 ? 64 : 0));
    order.blue[i % 64] = pixel;
    if (i % 3 == 2) order.is_blue |= std::uint64_t{1} << i % 64;
  }
  return found;
}

inline void store_interleaved(std::uint8_t* rgb, Register red, Register green, Register blue) {
  static constexpr std::array<Order, 3> kOrders = orders();
  for (std::size_t part = 0; part < 3; ++part) {
    const Order& order = kOrders[part];
    const Register both = _mm512_permutex2var_epi8(red, load(order.red_green.data()), green);
    _mm512_storeu_si512(rgb + 64 * part, _mm512_mask_permutexvar_epi8(
                                             both, order.is_blue, load(order.blue.data()), blue));
  }
}

}  // namespace
}  // namespace letterpress

#include "preprocess/pictures/ycc_registers.inl"

namespace letterpress {
extern const YccKernels kYccVbmi{to_rgb};
}
