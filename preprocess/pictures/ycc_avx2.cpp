#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "preprocess/pictures/ycc.h"

// Pixels at even and at odd places are computed apart, in words, because chroma lies between them.
namespace letterpress {
namespace {

using Register = __m256i;

inline Register load(const void* bytes) {
  return _mm256_loadu_si256(static_cast<const Register*>(bytes));
}

// Packing two registers puts the words of the first into quarters 0 and 2.
inline Register in_order(Register packed) { return _mm256_permute4x64_epi64(packed, 0b11011000); }

// Where pixel i is among 16 once the even ones come first.
constexpr int place_of_pixel(int i) { return i / 2 + i % 2 * 8; }

// 16 pixels become 48 bytes. For each channel, the byte of it that goes to each of the bytes
// 16 * part to 16 * part + 15; 128: none.
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

// For each half of the registers.
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

constexpr int kPixels = sizeof(Register), kWords = kPixels / 2;

inline Register words(int value) { return _mm256_set1_epi16(static_cast<short>(value)); }

struct Chroma {
  Register cb, cr;  // less 128
};

// Chroma of the even (beside -1) or odd (beside 1) pixels.
inline Register between(const std::int16_t* chroma, std::ptrdiff_t beside, Register rounding) {
  const Register near = load(chroma), far = load(chroma + beside);
  const Register three = _mm256_add_epi16(near, _mm256_add_epi16(near, near));
  return _mm256_srai_epi16(_mm256_add_epi16(_mm256_add_epi16(three, far), rounding), 4);
}

// The even words, each widened to 32 bits.
inline Register even_words(Register words) {
  return _mm256_srai_epi32(_mm256_slli_epi32(words, 16), 16);
}

struct Colours {
  Register red, green, blue;  // words, not clipped
};

// (-22554 cb + 18734 cr + 32768) >> 16
inline Register green_less_cr(const Chroma& chroma) {
  const Register factors =
      _mm256_set1_epi32(static_cast<int>((18734u << 16) | static_cast<std::uint16_t>(-22554)));
  const Register half = _mm256_set1_epi32(1 << 15);
  const auto part = [&](Register pairs) {
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_madd_epi16(pairs, factors), half), 16);
  };
  return _mm256_packs_epi32(part(_mm256_unpacklo_epi16(chroma.cb, chroma.cr)),
                            part(_mm256_unpackhi_epi16(chroma.cb, chroma.cr)));
}

// 1.402 = 1 + 26345 / 65536, 0.71414 = 1 - 18734 / 65536, 1.772 = 2 - 14942 / 65536. The factors of
// mulhrs are in 1/32768; for all chroma from -300 to 300 the rounded products are the same.
inline Colours colours(Register luma, const Chroma& chroma) {
  const Register red = _mm256_add_epi16(chroma.cr, _mm256_mulhrs_epi16(chroma.cr, words(13172)));
  const Register green = _mm256_sub_epi16(green_less_cr(chroma), chroma.cr);
  const Register twice = _mm256_add_epi16(chroma.cb, chroma.cb);
  const Register blue = _mm256_add_epi16(twice, _mm256_mulhrs_epi16(chroma.cb, words(-7471)));
  const auto lit = [&](Register difference) { return _mm256_add_epi16(luma, difference); };
  return {lit(red), lit(green), lit(blue)};
}

// kPixels pixels of the line from x, which is even.
inline void some_pixels(const YccLine& line, std::ptrdiff_t x, std::uint8_t* rgb) {
  Chroma even, odd;
  if (line.halved_across) {
    const Register round_even = words(line.halved_down ? 8 : 4),
                   round_odd = words(line.halved_down ? 7 : 8);
    even = {between(line.cb + x / 2, -1, round_even), between(line.cr + x / 2, -1, round_even)};
    odd = {between(line.cb + x / 2, 1, round_odd), between(line.cr + x / 2, 1, round_odd)};
  } else {
    const auto whole = [&](const std::int16_t* chroma) {
      return _mm256_srai_epi16(_mm256_add_epi16(load(chroma), words(2)), 2);
    };
    const auto halves = [&](const std::int16_t* chroma, Register& evens, Register& odds) {
      const Register first = whole(chroma + x), second = whole(chroma + x + kWords);
      evens = in_order(_mm256_packs_epi32(even_words(first), even_words(second)));
      odds =
          in_order(_mm256_packs_epi32(_mm256_srai_epi32(first, 16), _mm256_srai_epi32(second, 16)));
    };
    halves(line.cb, even.cb, odd.cb);
    halves(line.cr, even.cr, odd.cr);
  }
  const Register luma = load(line.luma + x);
  const Colours first = colours(luma & words(255), even),
                second = colours(_mm256_srli_epi16(luma, 8), odd);
  const auto clipped = [](Register evens, Register odds) {
    return _mm256_packus_epi16(evens, odds);
  };
  store_interleaved(rgb, clipped(first.red, second.red), clipped(first.green, second.green),
                    clipped(first.blue, second.blue));
}

void to_rgb(const YccLine& line, std::uint8_t* rgb) {
  std::ptrdiff_t x = 0;
  for (; x + kPixels <= line.width; x += kPixels) some_pixels(line, x, rgb + 3 * x);
  if (x == line.width) return;
  std::uint8_t rest[3 * kPixels];
  some_pixels(line, x, rest);
  std::memcpy(rgb + 3 * x, rest, 3 * static_cast<std::size_t>(line.width - x));
}

}  // namespace

extern const YccKernels kYccAvx2{to_rgb};

}  // namespace letterpress
