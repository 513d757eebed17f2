#include "preprocess/augment/colour_kernels.h"

#define LETTERPRESS_LANES 32
#include "preprocess/augment/colour_registers.inl"

namespace letterpress {
namespace {

// places[i] for each byte i of a register.
struct alignas(64) Places {
  std::uint8_t at[64];
};
inline __m512i load(const Places& places) { return _mm512_load_si512(places.at); }

// 32 pixels are 96 bytes: two registers, of which one permutation takes any byte.
constexpr Places channel_places(int channel) {
  Places places{};
  for (int i = 0; i < 32; ++i) places.at[2 * i] = static_cast<std::uint8_t>(3 * i + channel);
  return places;
}
inline Pixels load_pixels(const std::uint8_t* rgb) {
  constexpr __mmask64 kLowBytes = 0x5555555555555555;  // of words
  static constexpr Places kPlaces[] = {channel_places(0), channel_places(1), channel_places(2)};
  const __m512i first = _mm512_loadu_si512(rgb);
  const __m512i last =
      _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rgb + 64)));
  const auto channel = [&](int c) {
    return Words(_mm512_maskz_permutex2var_epi8(kLowBytes, first, load(kPlaces[c]), last));
  };
  return {channel(0), channel(1), channel(2)};
}

// Where the stored bytes from `first` on come from: 0..63 is red and green in turns, 64 on is blue
// in words. Behind byte 96 are no pixels; these places are not stored.
constexpr Places stored_places(int first) {
  Places places{};
  for (int i = 0; i < 64; ++i) {
    const int pixel = (first + i) / 3 % 32, channel = (first + i) % 3;
    places.at[i] = static_cast<std::uint8_t>(2 * pixel + (channel == 2 ? 64 : channel));
  }
  return places;
}
inline void store_pixels(const Pixels& pixels, std::uint8_t* rgb) {
  static constexpr Places kFirst = stored_places(0), kLast = stored_places(64);
  const __m512i red_green = __m512i(pixels.red | (pixels.green << 8)), blue = __m512i(pixels.blue);
  _mm512_storeu_si512(rgb, _mm512_permutex2var_epi8(red_green, load(kFirst), blue));
  const __m512i last = _mm512_permutex2var_epi8(red_green, load(kLast), blue);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(rgb + 64), _mm512_castsi512_si256(last));
}

}  // namespace

extern const ColourKernels kColourVbmi{shift_hsv};

}  // namespace letterpress
