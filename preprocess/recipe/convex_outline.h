#pragma once
#include <array>
#include <cstddef>

#include "letterpress/base/box.h"
#include "letterpress/shards/letterbox.h"

namespace letterpress {

/// The corners of a box in a frame, in order around it; what a square frame leaves of it has at
/// most eight.
class ConvexOutline {
 public:
  using Point = std::array<double, 2>;
  explicit ConvexOutline(const std::array<Point, 4>& corners);
  bool empty() const noexcept { return n_ == 0; }
  /// Cuts off what lies outside 0..side, edge by edge (Sutherland and Hodgman, Reentrant Polygon
  /// Clipping, 1974). An outline inside keeps its corners as they are.
  void cut_at_frame(double side);
  double area() const;
  std::array<double, 4> extent() const;  ///< x1, y1, x2, y2; not of an empty one

 private:
  void cut(std::size_t axis, double edge, double sign);

  std::array<Point, 8> corners_{};
  std::size_t n_;
};

ConvexOutline moved_outline(const LabelBox& box, const Affine& map);

}  // namespace letterpress
