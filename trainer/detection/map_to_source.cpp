#include "trainer/detection/map_to_source.h"

#include <algorithm>
#include <initializer_list>

namespace letterpress {
namespace {

/// The box around the four corners: the map may turn or mirror.
Detection map_one(const Detection& found, const Affine& map, float width, float height) {
  Detection mapped = found;
  bool first = true;
  for (const double x : {double{found.x1}, double{found.x2}})
    for (const double y : {double{found.y1}, double{found.y2}}) {
      const auto [to_x, to_y] = apply(map, x, y);
      const float corner_x = std::clamp(static_cast<float>(to_x), 0.0f, width);
      const float corner_y = std::clamp(static_cast<float>(to_y), 0.0f, height);
      mapped.x1 = first ? corner_x : std::min(mapped.x1, corner_x);
      mapped.y1 = first ? corner_y : std::min(mapped.y1, corner_y);
      mapped.x2 = first ? corner_x : std::max(mapped.x2, corner_x);
      mapped.y2 = first ? corner_y : std::max(mapped.y2, corner_y);
      first = false;
    }
  return mapped;
}

}  // namespace

std::vector<Detection> map_to_source(std::span<const Detection> detections,
                                     const Affine& source_to_frame, int source_width,
                                     int source_height) {
  const Affine frame_to_source = inverse(source_to_frame);
  std::vector<Detection> result;
  for (const Detection& found : detections) {
    const Detection mapped = map_one(found, frame_to_source, static_cast<float>(source_width),
                                     static_cast<float>(source_height));
    if (mapped.x2 > mapped.x1 && mapped.y2 > mapped.y1) result.push_back(mapped);
  }
  return result;
}

}  // namespace letterpress
