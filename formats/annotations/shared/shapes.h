#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/box.h"
#include "outline.h"

namespace letterpress::annotations {

/// A box around points, with their hull as its outline; counts them. Three or more on a line are
/// not an object: its outline is then kLineOutline, or the box has no area.
class BoxAround {
 public:
  void add(double x, double y);
  /// The corners of its outline, or its own.
  void add(const LabelBox& box);
  std::int64_t points() const noexcept { return static_cast<std::int64_t>(points_.size()); }
  LabelBox box() const;

 private:
  LabelBox box_{};
  std::vector<Point> points_;
};

/// A rectangle by its top left corner and its sides. With a negative side it is inverted, so that
/// check_boxes rejects it.
LabelBox box_at(double x, double y, double width, double height);

/// The upright box around one that is turned clockwise around a point, or around its centre; the
/// turned one is its outline. An inverted one, and one without area, stays as it is.
LabelBox upright_around(LabelBox box, double degrees, double about_x, double about_y);
LabelBox upright_around(const LabelBox& box, double degrees);

/// The upright box around an ellipse that is turned clockwise around its centre, with an outline of
/// it. With a negative radius it is inverted, with a radius of 0 it has no area.
LabelBox around_ellipse(double x, double y, double radius_x, double radius_y, double degrees);

/// How many objects were turned or of another shape, so that the box is the upright one around
/// them: a guess is told.
struct AroundCounts {
  std::int64_t turned = 0, shapes = 0;
  void add_to(std::vector<std::string>& remarks) const;
};

}  // namespace letterpress::annotations
