#pragma once
#include <algorithm>

namespace letterpress {

/// A rectangle by its corners, in whatever unit; in double precision, in which the sides of boxes
/// of float32 do not round.
struct Extent {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  double area() const noexcept { return std::max(0.0, x2 - x1) * std::max(0.0, y2 - y1); }
};

/// What lies in both; its area is 0 where nothing does.
inline Extent intersection(const Extent& a, const Extent& b) noexcept {
  return {std::max(a.x1, b.x1), std::max(a.y1, b.y1), std::min(a.x2, b.x2), std::min(a.y2, b.y2)};
}

/// Intersection over union, 0 to 1: 0 where nothing lies in both.
inline double iou(const Extent& a, const Extent& b) noexcept {
  const double inside = intersection(a, b).area();
  return inside > 0 ? inside / (a.area() + b.area() - inside) : 0;
}

}  // namespace letterpress
