#include "coco_outline.h"

#include <algorithm>
#include <ranges>

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/shapes.h"

namespace letterpress::annotations {
namespace {

namespace ondemand = simdjson::ondemand;

// Appends one ring, x1, y1, x2, y2, ...; whether it is one.
bool add_ring(ondemand::array ring, std::vector<Point>& points) {
  const std::size_t first = points.size();
  double x = 0;
  bool whole = true;
  for (ondemand::value element : ring) {
    double number = 0;
    if (element.get(number) || !is_coordinate(number)) return false;
    if (whole) {
      x = number;
    } else {
      points.push_back({x, number});
    }
    whole = !whole;
  }
  return whole && points.size() - first >= 3;
}

// x1, y1, x2, y2 of one point or more.
std::array<float, 4> extent_of(const std::vector<Point>& points) {
  const auto [left, right] = std::ranges::minmax(points | std::views::elements<0>);
  const auto [top, bottom] = std::ranges::minmax(points | std::views::elements<1>);
  return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(right),
          static_cast<float>(bottom)};
}

}  // namespace

void read_coco_outline(ondemand::value value, CocoOutline& outline) {
  outline.points.clear();
  ondemand::array rings;
  if (value.get(rings)) {
    outline.kind = CocoOutline::Kind::mask;
    return;
  }
  outline.kind = CocoOutline::Kind::none;
  for (ondemand::value ring : rings) {
    ondemand::array numbers;
    if (ring.get(numbers) || !add_ring(numbers, outline.points)) return;
  }
  if (!outline.points.empty()) outline.kind = CocoOutline::Kind::rings;
}

void apply_coco_outline(const CocoOutline& outline, bool has_box, double slack,
                        CocoAnnotation& annotation) {
  if (outline.kind != CocoOutline::Kind::rings) {
    annotation.is_mask = !has_box && outline.kind == CocoOutline::Kind::mask;
    if (!has_box && !annotation.is_mask) annotation.fault = "has no bbox";
    return;
  }
  if (has_box) {
    annotation.extent = extent_of(outline.points);
    annotation.outline =
        outline_in(box_at(annotation.x, annotation.y, annotation.width, annotation.height),
                   outline.points, slack);
    return;
  }
  BoxAround around;
  for (const auto& [x, y] : outline.points) around.add(x, y);
  LabelBox box = around.box();
  annotation.from_outline = true;
  annotation.x = box.x1;
  annotation.y = box.y1;
  annotation.width = box.x2 - box.x1;
  annotation.height = box.y2 - box.y1;
  annotation.outline = std::move(box.outline);
}

}  // namespace letterpress::annotations
