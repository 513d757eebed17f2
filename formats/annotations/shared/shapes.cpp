#include "shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {

void BoxAround::add(double x, double y) {
  const auto px = static_cast<float>(x), py = static_cast<float>(y);
  const bool first = points_.empty();
  points_.push_back({x, y});
  box_.x1 = first ? px : std::min(box_.x1, px);
  box_.y1 = first ? py : std::min(box_.y1, py);
  box_.x2 = first ? px : std::max(box_.x2, px);
  box_.y2 = first ? py : std::max(box_.y2, py);
}

void BoxAround::add(const LabelBox& box) {
  constexpr std::array<OutlinePoint, 4> kCorners{
      {{0, 0}, {kWholeSide, 0}, {kWholeSide, kWholeSide}, {0, kWholeSide}}};
  const std::span<const OutlinePoint> corners =
      box.outline.empty() ? std::span<const OutlinePoint>(kCorners) : box.outline;
  for (const auto& [across, down] : corners) {
    const double x = box.x1, y = box.y1;
    add(x + (box.x2 - x) * across / kWholeSide, y + (box.y2 - y) * down / kWholeSide);
  }
}

LabelBox BoxAround::box() const {
  LabelBox box = box_;
  if (are_on_a_slope(points_)) {
    box.outline.assign(kLineOutline.begin(), kLineOutline.end());
  } else {
    box.outline = outline_in(box, points_);
  }
  return box;
}

LabelBox box_at(double x, double y, double width, double height) {
  return {.x1 = static_cast<float>(x),
          .y1 = static_cast<float>(y),
          .x2 = static_cast<float>(x + width),
          .y2 = static_cast<float>(y + height)};
}

LabelBox upright_around(LabelBox box, double degrees, double about_x, double about_y) {
  if (degrees == 0 || box.x2 <= box.x1 || box.y2 <= box.y1) return box;
  const double angle = degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double across = std::abs(cosine), down = std::abs(sine);
  const double w = box.x2 - box.x1, h = box.y2 - box.y1;
  const double from_x = box.x1 + w / 2 - about_x, from_y = box.y1 + h / 2 - about_y;
  const double x = about_x + from_x * cosine - from_y * sine;
  const double y = about_y + from_x * sine + from_y * cosine;
  std::array<Point, 4> corners{
      {{-w / 2, -h / 2}, {w / 2, -h / 2}, {w / 2, h / 2}, {-w / 2, h / 2}}};
  for (auto& [cx, cy] : corners) {
    const Point corner{x + cx * cosine - cy * sine, y + cx * sine + cy * cosine};
    cx = corner[0], cy = corner[1];
  }
  const double half_w = (w * across + h * down) / 2, half_h = (w * down + h * across) / 2;
  box.x1 = static_cast<float>(x - half_w);
  box.x2 = static_cast<float>(x + half_w);
  box.y1 = static_cast<float>(y - half_h);
  box.y2 = static_cast<float>(y + half_h);
  box.outline = outline_in(box, corners);
  return box;
}

LabelBox upright_around(const LabelBox& box, double degrees) {
  const double w = box.x2 - box.x1, h = box.y2 - box.y1;
  return upright_around(box, degrees, box.x1 + w / 2, box.y1 + h / 2);
}

LabelBox around_ellipse(double x, double y, double radius_x, double radius_y, double degrees) {
  if (radius_x == 0 || radius_y == 0) degrees = 0;
  const double angle = degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double sign = radius_x < 0 || radius_y < 0 ? -1 : 1;
  const double half_w = sign * std::hypot(radius_x * cosine, radius_y * sine);
  const double half_h = sign * std::hypot(radius_x * sine, radius_y * cosine);
  LabelBox box = box_at(x - half_w, y - half_h, 2 * half_w, 2 * half_h);
  std::array<Point, kDirections.size()> furthest{};
  for (std::size_t i = 0; i < furthest.size(); ++i) {
    const auto [across, down] = kDirections[i];
    const double along_x = radius_x * (cosine * across + sine * down);
    const double along_y = radius_y * (cosine * down - sine * across);
    const double length = std::sqrt(along_x * along_x + along_y * along_y);
    const double share_x = length > 0 ? radius_x * along_x / length : 0;
    const double share_y = length > 0 ? radius_y * along_y / length : 0;
    furthest[i] = {x + share_x * cosine - share_y * sine, y + share_x * sine + share_y * cosine};
  }
  box.outline = outline_in(box, furthest);
  return box;
}

void AroundCounts::add_to(std::vector<std::string>& remarks) const {
  if (turned > 0)
    remarks.push_back(counted(turned, "turned box is", "turned boxes are") +
                      " read as the upright box around it");
  if (shapes > 0)
    remarks.push_back(counted(shapes, "outline is", "outlines are") +
                      " read as the upright box around it");
}

}  // namespace letterpress::annotations
