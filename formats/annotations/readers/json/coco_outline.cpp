#include "coco_outline.h"

#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/shapes.h"

namespace letterpress::annotations {
namespace json = simdjson::ondemand;
namespace {

// One ring of an outline, x1, y1, x2, y2, ...; how many points it has.
std::int64_t add_ring(json::array ring, BoxAround& around) {
  double x = 0;
  std::int64_t n = 0;
  for (json::value element : ring) {
    double number = 0;
    if (element.get(number) || !is_coordinate(number)) return 0;
    if (n++ % 2 == 0) {
      x = number;
    } else {
      around.add(x, number);
    }
  }
  return n % 2 == 0 ? n / 2 : 0;
}

}  // namespace

void read_coco_outline(json::object& object, CocoAnnotation& annotation) {
  annotation.fault = "has no bbox";
  for (json::field field : object) {
    const std::string_view key = field.unescaped_key();
    json::array rings;
    if (key != "segmentation") continue;
    if (field.value().get(rings)) {
      annotation.fault = "has no bbox, and its segmentation is a mask";
      return;
    }
    BoxAround around;
    for (json::value ring : rings) {
      json::array points;
      if (ring.get(points) || add_ring(points, around) < 3) return;
    }
    if (around.points() == 0) return;
    annotation.fault.clear();
    annotation.from_outline = true;
    annotation.x = around.box().x1;
    annotation.y = around.box().y1;
    annotation.width = around.box().x2 - around.box().x1;
    annotation.height = around.box().y2 - around.box().y1;
  }
}

}  // namespace letterpress::annotations
