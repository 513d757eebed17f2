#include <algorithm>

#include "preprocess/pictures/ycc.h"

namespace letterpress {
namespace {

std::uint8_t clip(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

// Less 128. libjpeg rounds even and odd pixels differently, so that no shift adds up, and
// differently again for the two kinds of halving.
int chroma_at(const std::int16_t* chroma, const YccLine& line, int x) {
  if (!line.halved_across) return (chroma[x] + 2) >> 2;
  const int near = x / 2, far = x % 2 ? near + 1 : near - 1;
  const int even = line.halved_down ? 8 : 4, odd = line.halved_down ? 7 : 8;
  return (3 * chroma[near] + chroma[far] + (x % 2 ? odd : even)) >> 4;
}

// JFIF 1.02: R = Y + 1.402 Cr, G = Y - 0.34414 Cb - 0.71414 Cr, B = Y + 1.772 Cb.
void to_rgb(const YccLine& line, std::uint8_t* rgb) {
  constexpr int kHalf = 1 << 15;
  for (int x = 0; x < line.width; ++x, rgb += 3) {
    const int luma = line.luma[x], cb = chroma_at(line.cb, line, x),
              cr = chroma_at(line.cr, line, x);
    rgb[0] = clip(luma + ((91881 * cr + kHalf) >> 16));
    rgb[1] = clip(luma + ((-22554 * cb - 46802 * cr + kHalf) >> 16));
    rgb[2] = clip(luma + ((116130 * cb + kHalf) >> 16));
  }
}

}  // namespace

extern const YccKernels kYccBaseline{to_rgb};

}  // namespace letterpress
