#include "preprocess/recipe/convex_outline.h"

#include <algorithm>
#include <cmath>

namespace letterpress {

ConvexOutline::ConvexOutline(const std::array<Point, 4>& corners) : n_(corners.size()) {
  std::ranges::copy(corners, corners_.begin());
}

// Keeps what has sign * (coordinate - edge) <= 0.
void ConvexOutline::cut(std::size_t axis, double edge, double sign) {
  std::array<Point, 8> left{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const Point &here = corners_[i], &next = corners_[(i + 1) % n_];
    const double from = sign * (here[axis] - edge), to = sign * (next[axis] - edge);
    if (from <= 0 && n < left.size()) left[n++] = here;
    if ((from < 0) != (to < 0) && from != 0 && to != 0 && n < left.size()) {
      const double share = from / (from - to);
      Point& crossing = left[n++];
      crossing[1 - axis] = here[1 - axis] + share * (next[1 - axis] - here[1 - axis]);
      crossing[axis] = edge;
    }
  }
  corners_ = left;
  n_ = n;
}

void ConvexOutline::cut_at_frame(double side) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    cut(axis, 0, -1);
    cut(axis, side, 1);
  }
}

double ConvexOutline::area() const {
  double twice = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const Point &here = corners_[i], &next = corners_[(i + 1) % n_];
    twice += here[0] * next[1] - next[0] * here[1];
  }
  return std::abs(twice) / 2;
}

std::array<double, 4> ConvexOutline::extent() const {
  std::array<double, 4> extent{corners_[0][0], corners_[0][1], corners_[0][0], corners_[0][1]};
  for (std::size_t i = 1; i < n_; ++i) {
    const auto [x, y] = corners_[i];
    extent = {std::min(extent[0], x), std::min(extent[1], y), std::max(extent[2], x),
              std::max(extent[3], y)};
  }
  return extent;
}

ConvexOutline moved_outline(const LabelBox& box, const Affine& map) {
  return ConvexOutline({apply(map, box.x1, box.y1), apply(map, box.x2, box.y1),
                        apply(map, box.x2, box.y2), apply(map, box.x1, box.y2)});
}

}  // namespace letterpress
