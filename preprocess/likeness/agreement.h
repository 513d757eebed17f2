#pragma once
#include "preprocess/likeness/look.h"

namespace letterpress {

/// Bits of 64 in which two corners that are taken for one may differ.
inline constexpr int kCornerBits = 12;
/// Corners that must agree before two pictures count as of one scene.
inline constexpr int kAgreeing = 11;

/// Corners of one picture that lie in another where one shift and one scale (half to twice) put
/// them all: the best that is found. Near the least number the order of the two matters.
struct Agreement {
  int corners = 0;  ///< 0 to kLookCorners; unrelated pictures seldom reach 4
  int percent = 0;  ///< that they span of what both pictures show, or of half of the smaller one
  /// Objects of one kind before other backgrounds agree too, but within themselves.
  bool is_of_one_scene() const;
};
/// Fewer corners than `least` count as one less than it, which is found out sooner.
Agreement agreeing_corners(const Look& a, const Look& b, int least = 0);

}  // namespace letterpress
