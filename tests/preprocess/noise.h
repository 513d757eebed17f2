#pragma once
#include <cstdint>
#include <vector>

namespace letterpress {

/// n bytes without a pattern, the same in every run.
inline std::vector<std::uint8_t> noise(std::size_t n, std::uint32_t seed = 7) {
  std::vector<std::uint8_t> bytes(n);
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24);
  return bytes;
}

}  // namespace letterpress
