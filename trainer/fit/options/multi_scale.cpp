#include "trainer/fit/options/multi_scale.h"

#include <charconv>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"
#include "letterpress/base/side.h"

namespace letterpress {
std::optional<SideRange> side_range_of(const std::string& text) {
  if (text == "none") return std::nullopt;
  SideRange range;
  const char* end = text.data() + text.size();
  const auto low = std::from_chars(text.data(), end, range.low);
  const bool has_dash = low.ec == std::errc() && low.ptr != end && *low.ptr == '-';
  const auto high = std::from_chars(has_dash ? low.ptr + 1 : end, end, range.high);
  const bool is_range = has_dash && high.ec == std::errc() && high.ptr == end;
  if (is_range && is_side(range.low) && is_side(range.high) && range.low <= range.high)
    return range;
  throw Error("--multi-scale is '" + text + "', must be none or two multiples of 32, at most " +
                  std::to_string(kLargestSide) + ", the smaller first, as 320-608",
              Exit::usage);
}

int side_of_step(const SideRange& range, int every, std::uint64_t seed, std::int64_t step) {
  const auto sides = static_cast<std::uint64_t>((range.high - range.low) / kSideStep + 1);
  const std::uint64_t draw =
      Hasher().add("side of step").add_value(seed).add_value(step / every).digest64();
  return range.low + kSideStep * static_cast<int>(draw % sides);
}

}  // namespace letterpress
