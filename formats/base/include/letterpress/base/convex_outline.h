#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "letterpress/base/box.h"

namespace letterpress {

/// The corners of an object's outline in some frame, in order around it. Never allocates: a
/// rectangle's edges add four corners at most.
class ConvexOutline {
 public:
  using Point = std::array<double, 2>;
  /// The box's outline in the box's own coordinates; its four corners where it has none.
  explicit ConvexOutline(const LabelBox& box);

  bool empty() const noexcept { return n_ == 0; }
  std::span<const Point> corners() const noexcept { return std::span(corners_).first(n_); }
  /// corner <- move(corner), for an affine map.
  template <class Move>
  void move(Move&& map) {
    for (Point& corner : std::span(corners_).first(n_)) corner = map(corner);
  }
  /// Cuts off what lies outside low..high of each axis, edge by edge (Sutherland and Hodgman,
  /// Reentrant Polygon Clipping, 1974). An outline inside keeps its corners as they are.
  void cut_at(const Point& low, const Point& high);
  double area() const;
  std::array<double, 4> extent() const;  ///< x1, y1, x2, y2; not of an empty one

 private:
  static constexpr std::size_t kMostCorners = kMaxOutlinePoints + 4;
  void cut(std::size_t axis, double edge, double sign);

  std::array<Point, kMostCorners> corners_{};
  std::size_t n_ = 0;
};

}  // namespace letterpress
