#include "letterpress/base/convex_outline.h"

#include <algorithm>
#include <cmath>

namespace letterpress {

ConvexOutline::ConvexOutline(const LabelBox& box) {
  if (box.outline.empty()) {
    const Point low{box.x1, box.y1}, high{box.x2, box.y2};
    corners_[0] = low, corners_[1] = {high[0], low[1]};
    corners_[2] = high, corners_[3] = {low[0], high[1]};
    n_ = 4;
    return;
  }
  n_ = std::min(box.outline.size(), kMaxOutlinePoints);
  const double width = static_cast<double>(box.x2) - box.x1;
  const double height = static_cast<double>(box.y2) - box.y1;
  for (std::size_t i = 0; i < n_; ++i) {
    const OutlinePoint& point = box.outline[i];
    corners_[i] = {box.x1 + width * point.x / kWholeSide, box.y1 + height * point.y / kWholeSide};
  }
}

// Keeps what has sign * (coordinate - edge) <= 0.
void ConvexOutline::cut(std::size_t axis, double edge, double sign) {
  std::array<Point, kMostCorners> left{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const Point &here = corners_[i], &next = corners_[i + 1 < n_ ? i + 1 : 0];
    const double from = sign * (here[axis] - edge), to = sign * (next[axis] - edge);
    if (from <= 0 && n < left.size()) left[n++] = here;
    if ((from < 0) != (to < 0) && from != 0 && to != 0 && n < left.size()) {
      const double share = from / (from - to);
      Point& crossing = left[n++];
      crossing[1 - axis] = here[1 - axis] + share * (next[1 - axis] - here[1 - axis]);
      crossing[axis] = edge;
    }
  }
  std::copy_n(left.begin(), n, corners_.begin());
  n_ = n;
}

void ConvexOutline::cut_at(const Point& low, const Point& high) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    cut(axis, low[axis], -1);
    cut(axis, high[axis], 1);
  }
}

double ConvexOutline::area() const {
  double twice = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const Point &here = corners_[i], &next = corners_[i + 1 < n_ ? i + 1 : 0];
    twice += here[0] * next[1] - next[0] * here[1];
  }
  return std::abs(twice) / 2;
}

std::array<double, 4> ConvexOutline::extent() const {
  std::array<double, 4> extent{corners_[0][0], corners_[0][1], corners_[0][0], corners_[0][1]};
  for (const auto& [x, y] : corners().subspan(1)) {
    extent = {std::min(extent[0], x), std::min(extent[1], y), std::max(extent[2], x),
              std::max(extent[3], y)};
  }
  return extent;
}

}  // namespace letterpress
