#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// A line of text as coverage, 0..255, uint8 [height, width]. `ascent` rows are above the baseline.
struct TextMask {
  int width = 0, height = 0, ascent = 0;
  std::vector<std::uint8_t> coverage;
  bool whole = true;  ///< false: no font has some of its characters, which are boxes now
};

/// A text of any script, with the letters joined and ordered as the script has them, by Pango and
/// the fonts of this machine. pixels: of an em. None where there is no Pango or no font. Any
/// number of threads may draw.
std::optional<TextMask> pango_text(std::string_view utf8, int pixels);

}  // namespace letterpress
