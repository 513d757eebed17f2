#include "preprocess/pictures/depth.h"

#include <algorithm>
#include <array>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::array<std::pair<std::string_view, Depth>, 5> kNames{{{"", Depth::unset},
                                                                    {"8", Depth::bits8},
                                                                    {"12", Depth::bits12},
                                                                    {"16", Depth::bits16},
                                                                    {"minmax", Depth::minmax}}};

struct Range {
  std::uint32_t low, high;
};

Range range_of(std::span<const std::uint16_t> levels, Depth depth) {
  if (depth == Depth::bits8) return {0, 255};
  if (depth == Depth::bits12) return {0, 4095};
  if (depth == Depth::bits16 || levels.empty()) return {0, 65535};
  const auto [low, high] = std::minmax_element(levels.begin(), levels.end());
  return {*low, *high};
}

}  // namespace

Depth parse_depth(std::string_view text) {
  for (const auto& [name, depth] : kNames) {
    if (name == text) return depth;
  }
  throw Error({.where = "--depth " + std::string(text),
               .what = std::string("must be ") + kDepthNames +
                       ": which levels of 16-bit pictures become black and white"},
              Exit::usage);
}

std::string to_string(Depth depth) {
  for (const auto& [name, value] : kNames) {
    if (value == depth) return std::string(name);
  }
  return {};
}

void narrow(std::span<const std::uint16_t> levels, Depth depth, std::uint8_t* bytes) {
  const auto [low, high] = range_of(levels, depth);
  const std::uint32_t span = std::max(high - low, 1u);
  for (const std::uint16_t level : levels) {
    const std::uint32_t above = std::clamp<std::uint32_t>(level, low, high) - low;
    *bytes++ = static_cast<std::uint8_t>((above * 255 + span / 2) / span);
  }
}

}  // namespace letterpress
