#pragma once
#include <array>
#include <span>
#include <vector>

#include "letterpress/base/box.h"

namespace letterpress::annotations {

using Point = std::array<double, 2>;  ///< x, y, in the coordinates of the box

/// kMaxOutlinePoints directions around a circle, in order, in whole numbers of about 1000 in
/// length.
inline constexpr auto kDirections = [] {
  constexpr std::array<std::array<int, 2>, 5> kEighth{
      {{1000, 0}, {981, 195}, {924, 383}, {831, 556}, {707, 707}}};
  std::array<std::array<int, 2>, kMaxOutlinePoints> directions{};
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const std::size_t step = i % 8;
    auto [x, y] = step < 5 ? kEighth[step] : std::array{kEighth[8 - step][1], kEighth[8 - step][0]};
    for (std::size_t quarter = 0; quarter < i / 8; ++quarter) {
      const int across = x;
      x = -y, y = across;
    }
    directions[i] = {x, y};
  }
  return directions;
}();

/// LabelBox::outline of an object in `box`: the convex hull of its points, of many corners those
/// that are furthest in one of kMaxOutlinePoints directions. Empty where the box says as much: the
/// points are on a line, their hull is the box, or their extent is not the box's. slack: by how
/// much beyond a twentieth of the side that may differ, in the box's unit.
/// The same points give the same outline on every machine.
std::vector<OutlinePoint> outline_in(const LabelBox& box, std::span<const Point> points,
                                     double slack = 0);

/// Whether all of three points or more are on a line that is not upright or level, as far as shares
/// of their extent tell: an object without area in a box that has one.
bool are_on_a_slope(std::span<const Point> points);
/// LabelBox::outline of such an object: a line across its box.
inline constexpr std::array<OutlinePoint, 2> kLineOutline{{{0, 0}, {kWholeSide, kWholeSide}}};
/// Whether it is one, however the box was turned: outlines with area have three corners or more.
inline bool is_line(std::span<const OutlinePoint> outline) {
  return outline.size() == kLineOutline.size();
}

/// part.outline <- what is in `part` of the outline of `whole`, of which it is a part; part's box
/// becomes the one around that. False where nothing of it is there, and `part` stays as it is.
bool cut_outline(const LabelBox& whole, LabelBox& part);

}  // namespace letterpress::annotations
