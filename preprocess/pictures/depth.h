#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace letterpress {

/// Which of the 65,536 levels of a 16-bit picture become 0..255. Only its owner knows, so there is
/// no default.
enum class Depth {
  unset,   ///< such pictures are rejected
  bits8,   ///< 0..255; all above is white
  bits12,  ///< 0..4095, as many sensors give them
  bits16,  ///< 0..65535
  minmax,  ///< from the smallest to the largest value of each picture
};

inline constexpr const char* kDepthNames = "8, 12, 16 or minmax";
/// One of these, or "" (unset). Throws Error (usage) naming them.
Depth parse_depth(std::string_view text);
std::string to_string(Depth depth);  ///< the reverse

/// bytes[i] <- levels[i] as 0..255, rounded to nearest, computed in whole numbers. levels: all
/// channels of one picture. depth: not unset.
void narrow(std::span<const std::uint16_t> levels, Depth depth, std::uint8_t* bytes);

}  // namespace letterpress
