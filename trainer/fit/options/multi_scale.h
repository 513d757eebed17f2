#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace letterpress {

/// Sides that the steps of a run train at. Pixels, multiples of 32, both included.
struct SideRange {
  int low = 0, high = 0;
};

/// "320-608"; nothing for "none". Throws Error (usage) for other text.
std::optional<SideRange> side_range_of(const std::string& text);

/// A multiple of 32 in the range, drawn anew every `every` steps: a function of seed and step, so
/// that all ranks and resumed runs agree. As darknet trains YOLO, arXiv:1612.08242, section 2,
/// "Multi-Scale Training".
int side_of_step(const SideRange& range, int every, std::uint64_t seed, std::int64_t step);

}  // namespace letterpress
