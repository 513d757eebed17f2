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

bool is_of(const LabelBox& box, std::span<const Point> points, double slack) {
  Point low = points.front(), high = points.front();
  for (const auto& [x, y] : points) {
    low = {std::min(low[0], x), std::min(low[1], y)};
    high = {std::max(high[0], x), std::max(high[1], y)};
  }
  return fits(low[0], high[0], box.x1, box.x2, slack) &&
         fits(low[1], high[1], box.y1, box.y2, slack);
}

std::vector<OutlinePoint> as_shares(const LabelBox& box, std::span<const Point> points) {
  std::vector<Corner> corners;
  corners.reserve(points.size());
  for (const auto& [x, y] : points)
    corners.push_back({share_of(x, box.x1, box.x2), share_of(y, box.y1, box.y2)});
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
  if (points.size() < 3 || !has_area(box) || !is_of(box, points, slack)) return {};
  return as_shares(box, points);
}

void cut_outline(const LabelBox& whole, LabelBox& part) {
  if (whole.outline.empty()) return;
  ConvexOutline outline(whole);
  outline.cut_at({part.x1, part.y1}, {part.x2, part.y2});
  part.outline = outline.empty() ? std::vector<OutlinePoint>() : as_shares(part, outline.corners());
}

}  // namespace letterpress::annotations
