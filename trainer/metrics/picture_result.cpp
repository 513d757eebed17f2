#include "trainer/metrics/picture_result.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace letterpress {
namespace {

using Places = std::unordered_map<std::int64_t, std::size_t>;

std::size_t place_of(const Places& places, std::int64_t id, const char* what) {
  const auto place = places.find(id);
  if (place == places.end())
    throw std::logic_error(std::string("a detection of ") + what + " " + std::to_string(id) +
                           ", which is not there");
  return place->second;
}

/// Image ids to their rank.
Places ranks_of(const std::vector<CocoGroundTruth::Image>& images) {
  std::vector<std::int64_t> ids;
  for (const CocoGroundTruth::Image& image : images) ids.push_back(image.id);
  std::sort(ids.begin(), ids.end());
  Places ranks;
  for (std::size_t i = 0; i < ids.size(); ++i) ranks.emplace(ids[i], i);
  return ranks;
}

}  // namespace

CocoBox coco_box(float x1, float y1, float x2, float y2) {
  return {x1, y1, double{x2} - double{x1}, double{y2} - double{y1}};
}

PictureResult picture_result(std::span<const LabelBox> ground_truths,
                             std::span<const Detection> found) {
  PictureResult result;
  for (const LabelBox& one : ground_truths) {
    const CocoBox box = coco_box(one.x1, one.y1, one.x2, one.y2);
    result.ground_truths.push_back(
        {.box = box,
         .class_id = one.class_id,
         .area = one.area < 0 ? box.width * box.height : double{one.area},
         .crowd = (one.flags & kCrowd) != 0,
         .difficult = (one.flags & kDifficult) != 0});
  }
  for (const Detection& one : found)
    result.found.push_back({coco_box(one.x1, one.y1, one.x2, one.y2), one.class_id, one.score});
  return result;
}

std::vector<PictureResult> picture_results(const CocoGroundTruth& ground_truth,
                                           std::span<const CocoResult> found) {
  const Places pictures = ranks_of(ground_truth.images);
  Places classes;
  for (const CocoGroundTruth::Category& category : ground_truth.categories)
    classes.emplace(category.id, classes.size());
  std::vector<PictureResult> results(ground_truth.images.size());
  for (const CocoGroundTruth::Annotation& one : ground_truth.annotations) {
    const auto class_id = static_cast<std::int32_t>(place_of(classes, one.category_id, "category"));
    results[place_of(pictures, one.image_id, "image")].ground_truths.push_back(
        {one.box, class_id, one.area, one.crowd, one.difficult});
  }
  std::int64_t order = 0;
  for (const CocoResult& one : found) {
    const auto class_id = static_cast<std::int32_t>(place_of(classes, one.category_id, "category"));
    results[place_of(pictures, one.image_id, "image")].found.push_back(
        {one.box, class_id, one.score, order++});
  }
  return results;
}

}  // namespace letterpress
