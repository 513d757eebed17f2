// A line to RGB over registers of any width. Included by the files that compile it for one
// instruction set each, behind Register, LETTERPRESS_OF(name) (the intrinsic of that name for it),
// load, in_order and store_interleaved; anonymous, so that no two versions are merged by the
// linker. Pixels at even and at odd places are worked out apart, in words: it is so that chroma
// lies between them.
#include <cstring>

#include "preprocess/pictures/ycc.h"

namespace letterpress {
namespace {

constexpr int kPixels = sizeof(Register), kWords = kPixels / 2;

inline Register words(int value) { return LETTERPRESS_OF(set1_epi16)(static_cast<short>(value)); }

struct Chroma {
  Register cb, cr;  // less 128
};

// Chroma of the pixels at even (beside -1) or odd (beside 1) places.
inline Register between(const std::int16_t* chroma, std::ptrdiff_t beside, Register rounding) {
  const Register near = load(chroma), far = load(chroma + beside);
  const Register three = LETTERPRESS_OF(add_epi16)(near, LETTERPRESS_OF(add_epi16)(near, near));
  return LETTERPRESS_OF(srai_epi16)(
      LETTERPRESS_OF(add_epi16)(LETTERPRESS_OF(add_epi16)(three, far), rounding), 4);
}

// Words of kWords pixels' chroma in turn: even ones in the lower half of each 32 bits.
inline Register even_words(Register in_turn) {
  return LETTERPRESS_OF(srai_epi32)(LETTERPRESS_OF(slli_epi32)(in_turn, 16), 16);
}

struct Colours {
  Register red, green, blue;  // words, not clipped
};

// (-22554 cb + 18734 cr + 32768) >> 16
inline Register green_less_cr(const Chroma& chroma) {
  const Register factors = LETTERPRESS_OF(set1_epi32)(
      static_cast<int>((18734u << 16) | static_cast<std::uint16_t>(-22554)));
  const Register half = LETTERPRESS_OF(set1_epi32)(1 << 15);
  const auto part = [&](Register pairs) {
    return LETTERPRESS_OF(srai_epi32)(
        LETTERPRESS_OF(add_epi32)(LETTERPRESS_OF(madd_epi16)(pairs, factors), half), 16);
  };
  return LETTERPRESS_OF(packs_epi32)(part(LETTERPRESS_OF(unpacklo_epi16)(chroma.cb, chroma.cr)),
                                     part(LETTERPRESS_OF(unpackhi_epi16)(chroma.cb, chroma.cr)));
}

// 1.402 = 1 + 26345 / 65536, 0.71414 = 1 - 18734 / 65536, 1.772 = 2 - 14942 / 65536. The factors of
// mulhrs are in 1/32768: rounded so, they give what those give for all chroma from -300 to 300.
inline Colours colours(Register luma, const Chroma& chroma) {
  const Register red =
      LETTERPRESS_OF(add_epi16)(chroma.cr, LETTERPRESS_OF(mulhrs_epi16)(chroma.cr, words(13172)));
  const Register green = LETTERPRESS_OF(sub_epi16)(green_less_cr(chroma), chroma.cr);
  const Register twice = LETTERPRESS_OF(add_epi16)(chroma.cb, chroma.cb);
  const Register blue =
      LETTERPRESS_OF(add_epi16)(twice, LETTERPRESS_OF(mulhrs_epi16)(chroma.cb, words(-7471)));
  const auto lit = [&](Register difference) { return LETTERPRESS_OF(add_epi16)(luma, difference); };
  return {lit(red), lit(green), lit(blue)};
}

// kPixels of the line from x, an even one.
inline void some_pixels(const YccLine& line, std::ptrdiff_t x, std::uint8_t* rgb) {
  Chroma even, odd;
  if (line.halved_across) {
    const Register round_even = words(line.halved_down ? 8 : 4),
                   round_odd = words(line.halved_down ? 7 : 8);
    even = {between(line.cb + x / 2, -1, round_even), between(line.cr + x / 2, -1, round_even)};
    odd = {between(line.cb + x / 2, 1, round_odd), between(line.cr + x / 2, 1, round_odd)};
  } else {
    const auto whole = [&](const std::int16_t* chroma) {
      return LETTERPRESS_OF(srai_epi16)(LETTERPRESS_OF(add_epi16)(load(chroma), words(2)), 2);
    };
    const auto halves = [&](const std::int16_t* chroma, Register& evens, Register& odds) {
      const Register first = whole(chroma + x), second = whole(chroma + x + kWords);
      evens = in_order(LETTERPRESS_OF(packs_epi32)(even_words(first), even_words(second)));
      odds = in_order(LETTERPRESS_OF(packs_epi32)(LETTERPRESS_OF(srai_epi32)(first, 16),
                                                  LETTERPRESS_OF(srai_epi32)(second, 16)));
    };
    halves(line.cb, even.cb, odd.cb);
    halves(line.cr, even.cr, odd.cr);
  }
  const Register luma = load(line.luma + x);
  const Colours first = colours(luma & words(255), even),
                second = colours(LETTERPRESS_OF(srli_epi16)(luma, 8), odd);
  const auto clipped = [](Register evens, Register odds) {
    return LETTERPRESS_OF(packus_epi16)(evens, odds);
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
}  // namespace letterpress
