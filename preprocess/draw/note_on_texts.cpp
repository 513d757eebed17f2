#include <algorithm>

#include "preprocess/draw/draw.h"
#include "preprocess/draw/pango.h"

namespace letterpress {

std::string note_on_texts(std::span<const std::string> texts) {
  constexpr int kPixels = 16;  // any size works
  for (const std::string& text : texts) {
    if (std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; })) continue;
    const auto mask = pango_text(text, kPixels);
    if (!mask)
      return "names outside ASCII, such as '" + text +
             "', are drawn with '?': install libpangocairo-1.0-0 and a font, such as "
             "fonts-noto-core or fonts-noto-cjk";
    if (!mask->whole)
      return "no font here has all characters of '" + text +
             "': install one, such as fonts-noto-core or fonts-noto-cjk";
  }
  return "";
}

}  // namespace letterpress
