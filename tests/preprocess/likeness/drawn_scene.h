#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "preprocess/likeness/look.h"

namespace letterpress {

/// uint8 [height, width, 3].
struct DrawnPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb{};

  std::uint8_t* at(int x, int y) { return &rgb[static_cast<std::size_t>(3 * (y * width + x))]; }
  const std::uint8_t* at(int x, int y) const {
    return &rgb[static_cast<std::size_t>(3 * (y * width + x))];
  }
  LookedAt all() const { return {rgb, width, 0, 0, width, height}; }
};

/// A scene: discs and bars of drawn sizes, places and colours on a ground.
inline DrawnPicture drawn_scene(std::uint64_t seed, int width = 320, int height = 240) {
  std::mt19937_64 engine(seed);
  const auto below = [&](int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); };
  DrawnPicture scene{width, height,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), 150)};
  for (int object = 0; object < 60; ++object) {
    const int x0 = below(width), y0 = below(height), half_x = 4 + below(22), half_y = 4 + below(22);
    const bool is_disc = below(2) == 0;
    const std::array<int, 3> colour{below(256), below(256), below(256)};
    for (int y = std::max(0, y0 - half_y); y < std::min(height, y0 + half_y); ++y) {
      for (int x = std::max(0, x0 - half_x); x < std::min(width, x0 + half_x); ++x) {
        const double u = (x - x0) / static_cast<double>(half_x),
                     v = (y - y0) / static_cast<double>(half_y);
        if (is_disc && u * u + v * v > 1) continue;
        for (std::size_t c = 0; c < 3; ++c)
          scene.at(x, y)[c] = static_cast<std::uint8_t>(colour[c]);
      }
    }
  }
  return scene;
}

/// A photograph of a scene: 85 to 100% of it, at another place, exposure (70 to 130%), contrast
/// (gamma 0.8 to 1.25) and noise.
inline DrawnPicture photograph(const DrawnPicture& scene, std::mt19937_64& engine) {
  const auto between = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(engine() >> 11) / 9007199254740992.0;
  };
  const double zoom = between(0.85, 1);
  const double left = between(0, (1 - zoom) * scene.width),
               top = between(0, (1 - zoom) * scene.height);
  const double gain = between(0.7, 1.3), gamma = between(0.8, 1.25);
  DrawnPicture picture{scene.width, scene.height, scene.rgb};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const double u = left + zoom * x, v = top + zoom * y;
      const int x0 = std::min(static_cast<int>(u), scene.width - 2),
                y0 = std::min(static_cast<int>(v), scene.height - 2);
      for (int c = 0; c < 3; ++c) {
        const double upper =
                         scene.at(x0, y0)[c] * (x0 + 1 - u) + scene.at(x0 + 1, y0)[c] * (u - x0),
                     lower = scene.at(x0, y0 + 1)[c] * (x0 + 1 - u) +
                             scene.at(x0 + 1, y0 + 1)[c] * (u - x0);
        const double level = (upper * (y0 + 1 - v) + lower * (v - y0)) / 255;
        const double seen = 255 * gain * std::pow(level, gamma) + between(-4, 4);
        picture.at(x, y)[c] = static_cast<std::uint8_t>(std::clamp(seen, 0.0, 255.0));
      }
    }
  }
  return picture;
}

}  // namespace letterpress
