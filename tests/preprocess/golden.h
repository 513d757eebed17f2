#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "letterpress/base/file.h"
#include "tests/locations.h"

namespace letterpress {

/// A file of tests/golden.
inline std::string golden(const std::string& name) {
  return read_file(std::filesystem::path(LETTERPRESS_SOURCE_DIR) / "tests/golden" / name);
}

inline std::span<const std::byte> bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content));
}

/// Absolute differences of two pictures' bytes.
struct Difference {
  double mean = 0;
  int largest = 0;
};
inline Difference difference(std::span<const std::uint8_t> got, std::span<const std::byte> wanted) {
  if (got.size() != wanted.size()) return {1e9, 1 << 30};
  Difference result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int d = std::abs(got[i] - std::to_integer<int>(wanted[i]));
    result.mean += d;
    result.largest = d > result.largest ? d : result.largest;
  }
  result.mean /= static_cast<double>(got.size());
  return result;
}

}  // namespace letterpress
