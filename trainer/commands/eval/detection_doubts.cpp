#include "trainer/commands/eval/detection_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace letterpress {
namespace {

// Detectors let a box reach so far over the edge.
constexpr double kOverEdge = 0.05;  // of the picture

bool is_share(const CocoResult& one) {
  return std::max({one.box.x, one.box.y, one.box.width, one.box.height}) <= 1;
}

bool may_be_corners(const CocoResult& one) {
  return one.box.width > one.box.x && one.box.height > one.box.y;
}

// How many reach over their picture's right or lower edge as they are.
std::ptrdiff_t reach_outside(const CocoGroundTruth& ground_truth,
                             std::span<const CocoResult> found) {
  std::unordered_map<std::int64_t, const CocoGroundTruth::Image*> images;
  for (const CocoGroundTruth::Image& image : ground_truth.images) images.emplace(image.id, &image);
  return std::ranges::count_if(found, [&](const CocoResult& one) {
    const auto image = images.find(one.image_id);
    if (image == images.end()) return false;
    const double width = image->second->width, height = image->second->height;
    return (width > 0 && one.box.x + one.box.width > width * (1 + kOverEdge)) ||
           (height > 0 && one.box.y + one.box.height > height * (1 + kOverEdge));
  });
}

}  // namespace

std::vector<std::string> detection_doubts(const CocoGroundTruth& ground_truth,
                                          std::span<const CocoResult> found) {
  std::vector<std::string> doubts;
  if (found.empty()) return doubts;
  const auto outside = reach_outside(ground_truth, found);
  if (std::ranges::all_of(found, is_share)) {
    doubts.push_back(
        "all boxes lie in 0..1, as shares of a picture do: COCO's are [x, y, width, height] in "
        "pixels; multiply them by the picture's width and height");
  } else if (std::ranges::all_of(found, may_be_corners) && 10 * outside > std::ssize(found)) {
    doubts.push_back(std::to_string(outside) + " of " + std::to_string(found.size()) +
                     " boxes reach over their picture's edge, and all would be corners x1, y1, "
                     "x2, y2: COCO's are [x, y, width, height]; subtract x1 and y1");
  }
  const double highest = std::ranges::max_element(found, {}, &CocoResult::score)->score;
  if (highest > 1.01)  // some programs round up
    doubts.push_back("scores are up to " + fmt::format("{:.6g}", highest) +
                     ", where 0..1 is usual: mAP counts their order alone, but what --conf cuts at "
                     "and tables of confidence suit 0..1");
  return doubts;
}

}  // namespace letterpress
