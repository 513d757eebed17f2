#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/agreement.h"
#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// How far apart two lists of found boxes are, in their order, which must be the same: the largest
/// difference of two scores, or of a box's place or size as a share of `longer_side` (pixels).
/// Picture by picture as many boxes, of the same classes, or a check fails.
inline double furthest_apart(const std::vector<PictureResult>& one,
                             const std::vector<PictureResult>& other, double longer_side) {
  REQUIRE(one.size() == other.size());
  double furthest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    CAPTURE(i);
    REQUIRE(one[i].found.size() == other[i].found.size());
    for (std::size_t k = 0; k < one[i].found.size(); ++k) {
      const Found &a = one[i].found[k], &b = other[i].found[k];
      REQUIRE(a.class_id == b.class_id);
      furthest = further(furthest, std::abs(a.score - b.score));
      for (const auto side : {&CocoBox::x, &CocoBox::y, &CocoBox::width, &CocoBox::height})
        furthest = further(furthest, std::abs(a.box.*side - b.box.*side) / longer_side);
    }
  }
  return furthest;
}

}  // namespace letterpress
