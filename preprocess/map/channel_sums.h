#pragma once
#include <array>
#include <cstdint>
#include <span>

namespace letterpress {

/// Sums of the red, green and blue bytes of an image, uint8 [n, 3].
std::array<std::uint64_t, 3> sum_channels(std::span<const std::uint8_t> image) noexcept;

}  // namespace letterpress
