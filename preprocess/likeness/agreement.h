#pragma once
#include "preprocess/likeness/look.h"

namespace letterpress {

/// Bits of 64 in which two corners that are taken for one may differ.
inline constexpr int kCornerBits = 12;
/// Corners that must agree before two pictures count as of one scene.
inline constexpr int kAgreeing = 11;

/// How many corners of `a` lie in `b` where one shift and one scale (half to twice) put them all:
/// the best that is found. 0 to kLookCorners; unrelated pictures seldom reach 4. Fewer than `least`
/// count as one less than it, which is found out sooner.
int agreeing_corners(const Look& a, const Look& b, int least = 0);

}  // namespace letterpress
