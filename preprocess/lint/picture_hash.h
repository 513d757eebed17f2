#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace letterpress {

/// What a picture looks like: equal or close for copies that were resized, compressed again or
/// brightened a little.
struct PictureHash {
  std::uint64_t bits =
      0;  ///< difference hash: which of 8 x 8 cells is darker than its right neighbour
  std::array<std::uint8_t, 256> grey =
      {};  ///< 16 x 16 means, to tell look-alikes (uniform grounds) from copies
};

/// rgb: uint8 [side, side, 3]; x, y, width, height: the part of it that is the picture, without the
/// letterbox's padding.
struct PicturePart {
  int x = 0, y = 0, width = 0, height = 0;
};
PictureHash hash_picture(std::span<const std::uint8_t> rgb, int side, const PicturePart& part);

int hamming(std::uint64_t a, std::uint64_t b) noexcept;
/// Mean absolute difference of the 16 x 16 means, grey levels.
double grey_difference(const PictureHash& a, const PictureHash& b) noexcept;

/// Pairs (a < b) of `values` (distinct) that differ in 1 to `radius` (0..7) bits, ascending. The 64
/// bits are cut in radius + 1 bands: two values within the radius agree in one band at least, so
/// only those that share a band's value are compared (multi-index hashing, Norouzi et al.,
/// arXiv:1307.2982): about n * n / 2^(64 / (radius + 1)) comparisons per band.
std::vector<std::pair<std::uint64_t, std::uint64_t>> near_pairs(
    std::span<const std::uint64_t> values, int radius);

}  // namespace letterpress
