#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace letterpress {

/// The colour of a class wherever boxes are drawn, on pages and on pictures: bright, red, green,
/// blue. class_id: any integer; the first 20 have 20 colours, neighbours far apart (steps of the
/// golden ratio on the circle of hues).
inline std::array<std::uint8_t, 3> class_colour(int class_id) {
  constexpr double kGoldenTurn = 0.61803398875, kDarkest = 60, kBrightest = 255;
  const double hue = class_id * kGoldenTurn - std::floor(class_id * kGoldenTurn);
  const auto channel = [&](double shift) {
    const double sixths = std::fmod(6 * hue + shift, 6.0);
    const double strength = std::max(0.0, std::min({sixths, 4 - sixths, 1.0}));
    return static_cast<std::uint8_t>(std::lround(kBrightest - (kBrightest - kDarkest) * strength));
  };
  return {channel(5), channel(3), channel(1)};
}

}  // namespace letterpress
