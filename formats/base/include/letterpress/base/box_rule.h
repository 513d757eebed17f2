#pragma once

namespace letterpress {

/// Which boxes an augmented view keeps after they were cut at the frame, and so does every view of
/// a tile. View 0 of a whole picture keeps all.
struct BoxRule {
  double min_side = 0;  ///< pixels of the frame: both sides must be longer
  double min_area = 0;  ///< share 0..1 of its area that a box must keep, but for crowds
  bool operator==(const BoxRule&) const = default;
};

/// That of recipe detect, and of recipes that augment and name none.
inline constexpr BoxRule kDetectBoxRule{.min_side = 2, .min_area = 0.15};

}  // namespace letterpress
