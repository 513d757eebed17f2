#include "preprocess/lint/picture_hash.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace letterpress {
namespace {

struct HashedPart {
  std::span<const std::uint8_t> rgb;
  int side;
  PicturePart part;
};

// Mean grey (BT.601, thousandths) of one of columns x rows cells; a cell of a tiny picture covers
// one pixel at least.
std::int64_t cell_mean(const HashedPart& picture, int columns, int rows, int cell) {
  const auto from = [](int start, int size, int i, int n) { return start + size * i / n; };
  const int column = cell % columns, row = cell / columns;
  const int left = from(picture.part.x, picture.part.width, column, columns),
            top = from(picture.part.y, picture.part.height, row, rows);
  const int right =
      std::max(left + 1, from(picture.part.x, picture.part.width, column + 1, columns));
  const int bottom = std::max(top + 1, from(picture.part.y, picture.part.height, row + 1, rows));
  std::int64_t sum = 0;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const std::uint8_t* const pixel =
          &picture.rgb[static_cast<std::size_t>((y * picture.side + x) * 3)];
      sum += 299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2];
    }
  }
  return sum / (static_cast<std::int64_t>(right - left) * (bottom - top));
}

}  // namespace

PictureHash hash_picture(std::span<const std::uint8_t> rgb, int side, const PicturePart& part) {
  const bool inside =
      part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0 &&
      part.x + part.width <= side && part.y + part.height <= side &&
      rgb.size() == static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 3;
  if (!inside) throw std::logic_error("hash_picture: the part does not lie in the frame");
  const HashedPart picture{rgb, side, part};
  PictureHash hash;
  for (int i = 0; i < 64; ++i) {
    const int cell = i / 8 * 9 + i % 8;  // 9 columns make 8 differences
    if (cell_mean(picture, 9, 8, cell) < cell_mean(picture, 9, 8, cell + 1))
      hash.bits |= std::uint64_t{1} << i;
  }
  for (int i = 0; i < 256; ++i) {
    hash.grey[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(cell_mean(picture, 16, 16, i) / 1000);
  }
  return hash;
}

int hamming(std::uint64_t a, std::uint64_t b) noexcept { return std::popcount(a ^ b); }

double grey_difference(const PictureHash& a, const PictureHash& b) noexcept {
  int sum = 0;
  for (std::size_t i = 0; i < a.grey.size(); ++i) sum += std::abs(a.grey[i] - b.grey[i]);
  return sum / static_cast<double>(a.grey.size());
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> near_pairs(
    std::span<const std::uint64_t> values, int radius) {
  if (radius < 0 || radius > 7)
    throw std::logic_error("near_pairs: radius " + std::to_string(radius) + ", must be 0 to 7");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  const int bands = radius + 1;
  for (int band = 0; radius > 0 && band < bands; ++band) {
    const int first = 64 * band / bands, width = 64 * (band + 1) / bands - first;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> buckets;
    for (const std::uint64_t value : values) {
      std::vector<std::uint64_t>& bucket =
          buckets[value >> first & ((std::uint64_t{1} << width) - 1)];
      for (const std::uint64_t other : bucket) {
        if (hamming(value, other) <= radius)
          pairs.emplace_back(std::min(value, other), std::max(value, other));
      }
      bucket.push_back(value);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace letterpress
