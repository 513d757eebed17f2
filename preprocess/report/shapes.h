#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// Counts over equal cells of a square, row by row.
struct Density {
  static constexpr int kCells = 32;  ///< on a side
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(kCells * kCells, 0);

  /// x, y: 0..1; what lies outside falls to the nearest cell.
  void add(double x, double y);
  std::int64_t most() const;
};

/// What became of a class's boxes in the augmented rows.
struct AugmentedBoxes {
  std::int64_t expected = 0;  ///< labelled boxes of these rows' pictures, once for each row
  std::int64_t cut = 0;       ///< of these: stored, but cut by the augmentation
  std::int64_t lost = 0;      ///< of these: not stored, too little of them is in the row
};

/// How pictures and boxes are shaped and placed: of clean rows of all splits, save `augmented`.
struct Shapes {
  Density centres;    ///< of boxes, as shares of the picture's width and height
  Density box_sizes;  ///< widths and heights, as shares of the picture's
  std::map<std::array<std::int32_t, 2>, std::int64_t> picture_sizes;  ///< source width, height
  std::vector<AugmentedBoxes> augmented;                              ///< by class id
};

/// Of a store of whole pictures.
Shapes count_shapes(const SnapshotReader& reader);

}  // namespace letterpress
