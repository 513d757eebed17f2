#include "outline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "letterpress/base/convex_outline.h"

namespace letterpress::annotations {
namespace {

// Shares of the box as whole numbers, so that a hull is exact.
struct Corner {
  std::int64_t x = 0, y = 0;
  auto operator<=>(const Corner&) const = default;
};

std::int64_t share_of(double value, double first, double last) {
  const double share = (value - first) / (last - first);
  return static_cast<std::int64_t>(std::floor(std::clamp(share, 0.0, 1.0) * kWholeSide + 0.5));
}

bool turns_left(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}

// Appends one half of the hull of sorted corners, without its last.
template <class Corners>
void add_chain(const Corners& sorted, std::vector<Corner>& hull) {
  const std::size_t first = hull.size();
  for (const Corner& corner : sorted) {
    while (hull.size() >= first + 2 && !turns_left(hull[hull.size() - 2], hull.back(), corner))
      hull.pop_back();
    hull.push_back(corner);
  }
  hull.pop_back();
}

// Monotone chain, A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions,
// 1979. No three corners are on a line.
std::vector<Corner> hull_of(std::vector<Corner> corners) {
  std::ranges::sort(corners);
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<Corner> hull;
  add_chain(corners, hull);
  std::ranges::reverse(corners);
  add_chain(corners, hull);
  return hull;
}

// Keeps those that are furthest in one of the directions.
void thin(std::vector<Corner>& hull) {
  std::vector<bool> kept(hull.size(), false);
  for (const auto& [across, down] : kDirections) {
    const auto reach = [&](const Corner& corner) { return across * corner.x + down * corner.y; };
    const auto furthest = std::ranges::max_element(hull, {}, reach);
    kept[static_cast<std::size_t>(furthest - hull.begin())] = true;
  }
  std::size_t i = 0;
  std::erase_if(hull, [&](const Corner&) { return !kept[i++]; });
}

bool is_box(const std::vector<Corner>& hull) {
  return hull ==
         std::vector<Corner>{{0, 0}, {kWholeSide, 0}, {kWholeSide, kWholeSide}, {0, kWholeSide}};
}

// Whether points from `low` to `high` are of a side from `first` to `last`.
bool fits(double low, double high, double first, double last, double slack) {
  constexpr double kShare = 0.05;
  const double allowed = kShare * (last - first) + slack;
  return std::abs(low - first) <= allowed && std::abs(high - last) <= allowed;
}

struct Extent {
  Point low{}, high{};
};

Extent extent_of(std::span<const Point> points) {
  Extent extent{points.front(), points.front()};
  for (const auto& [x, y] : points) {
    extent.low = {std::min(extent.low[0], x), std::min(extent.low[1], y)};
    extent.high = {std::max(extent.high[0], x), std::max(extent.high[1], y)};
  }
  return extent;
}

bool is_of(const LabelBox& box, const Extent& extent, double slack) {
  return fits(extent.low[0], extent.high[0], box.x1, box.x2, slack) &&
         fits(extent.low[1], extent.high[1], box.y1, box.y2, slack);
}

// Shares of what goes from low to high.
std::vector<OutlinePoint> as_shares(const Extent& whole, std::span<const Point> points) {
  std::vector<Corner> corners;
  corners.reserve(points.size());
  for (const auto& [x, y] : points)
    corners.push_back(
        {share_of(x, whole.low[0], whole.high[0]), share_of(y, whole.low[1], whole.high[1])});
  std::vector<Corner> hull = hull_of(std::move(corners));
  if (hull.size() > kMaxOutlinePoints) thin(hull);
  std::vector<OutlinePoint> outline;
  if (hull.size() < 3 || is_box(hull)) return outline;
  outline.reserve(hull.size());
  for (const auto& [x, y] : hull)
    outline.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)});
  return outline;
}

bool has_area(const LabelBox& box) {
  return std::isfinite(box.x1 + box.y1 + box.x2 + box.y2) && box.x1 < box.x2 && box.y1 < box.y2;
}

}  // namespace

std::vector<OutlinePoint> outline_in(const LabelBox& box, std::span<const Point> points,
                                     double slack) {
  if (points.size() < 3 || !has_area(box)) return {};
  const Extent extent = extent_of(points);
  if (!is_of(box, extent, slack) || extent.low[0] >= extent.high[0] ||
      extent.low[1] >= extent.high[1])
    return {};
  // As if its extent were the box, so that a side that nothing cuts stays where it is.
  return as_shares(extent, points);
}

// Their extent goes from one end of the line to the other.
bool are_on_a_slope(std::span<const Point> points) {
  if (points.size() < 3) return false;
  const auto [low, high] = extent_of(points);
  if (!(low[0] < high[0] && low[1] < high[1])) return false;
  if (!std::isfinite(high[0] - low[0]) || !std::isfinite(high[1] - low[1])) return false;
  bool rises = true, falls = true;
  for (const auto& [x, y] : points) {
    const std::int64_t across = share_of(x, low[0], high[0]), down = share_of(y, low[1], high[1]);
    rises = rises && std::abs(across - down) <= 1;
    falls = falls && std::abs(across + down - kWholeSide) <= 1;
  }
  return rises || falls;
}

bool cut_outline(const LabelBox& whole, LabelBox& part) {
  if (whole.outline.empty()) return true;
  ConvexOutline outline(whole);
  outline.cut_at({part.x1, part.y1}, {part.x2, part.y2});
  if (outline.empty()) return false;
  const auto [x1, y1, x2, y2] = outline.extent();
  LabelBox around = part;
  around.x1 = static_cast<float>(x1);
  around.y1 = static_cast<float>(y1);
  around.x2 = static_cast<float>(x2);
  around.y2 = static_cast<float>(y2);
  if (!has_area(around)) return false;
  around.outline = as_shares({{x1, y1}, {x2, y2}}, outline.corners());
  part = std::move(around);
  return true;
}

}  // namespace letterpress::annotations
