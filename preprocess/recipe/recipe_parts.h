#pragma once
#include <cstddef>
#include <string>

namespace letterpress {

/// Which boxes an augmented view keeps after they were cut at the frame, and so does every view of
/// a tile. View 0 of a whole picture keeps all.
struct BoxRule {
  double min_side = 0;  ///< pixels of the frame: both sides must be longer
  double min_area = 0;  ///< share 0..1 of its area that a box must keep
  bool operator==(const BoxRule&) const = default;
};

/// One augmentation of a recipe: its kind and its columns [first, first + count) of /augment.
struct RecipeStepInfo {
  std::string kind;
  std::size_t first = 0, count = 0;
};

}  // namespace letterpress
