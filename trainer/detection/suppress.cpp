#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>

#include "letterpress/base/error.h"
#include "trainer/detection/decode.h"

namespace letterpress {
namespace {

/// Rows of the one copy from the device: x1 y1 x2 y2 score as the bits of floats, picture, class.
constexpr std::int64_t kColumns = 7;

torch::Tensor pack(const Candidates& candidates, float confidence) {
  const torch::Tensor where = (candidates.scores > confidence).nonzero();  // [n, 3] picture, prediction, class: in this order
  const torch::Tensor picture = where.select(1, 0), prediction = where.select(1, 1), class_id = where.select(1, 2);
  const std::int64_t points = candidates.boxes.size(1), classes = candidates.scores.size(2);
  const torch::Tensor place = picture * points + prediction;
  const torch::Tensor box = candidates.boxes.reshape({-1, 4}).index_select(0, place).contiguous();
  const torch::Tensor score = candidates.scores.reshape({-1}).index_select(0, place * classes + class_id).unsqueeze(1);
  const torch::Tensor indices = torch::stack({picture, class_id}, 1).to(torch::kInt);
  return torch::cat({box.view(torch::kInt), score.view(torch::kInt), indices}, 1).cpu().contiguous();
}

double overlap(const Detection& a, const Detection& b) {
  const double width = std::min<double>(a.x2, b.x2) - std::max<double>(a.x1, b.x1);
  const double height = std::min<double>(a.y2, b.y2) - std::max<double>(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const auto area = [](const Detection& box) { return (double{box.x2} - box.x1) * (double{box.y2} - box.y1); };
  return width * height / (area(a) + area(b) - width * height);
}

/// Best first over all classes and stopping when full gives what suppression per class and a cut afterwards would.
std::vector<Detection> suppress_one(std::vector<Detection> candidates, const DetectionOptions& options) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (candidates.size() > static_cast<std::size_t>(options.max_candidates))
    candidates.resize(static_cast<std::size_t>(options.max_candidates));
  std::vector<Detection> kept;
  for (const Detection& candidate : candidates) {
    if (kept.size() == static_cast<std::size_t>(options.max_detections)) break;
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Detection& better) {
      return better.class_id == candidate.class_id && overlap(better, candidate) > static_cast<double>(options.iou);
    });
    if (!covered) kept.push_back(candidate);
  }
  return kept;
}

void require(bool valid, const std::string& field, const std::string& got, const std::string& wanted) {
  if (!valid) throw Error("detection: " + field + " is " + got + ", must be " + wanted, Exit::usage);
}

}  // namespace

void validate(const DetectionOptions& options) {
  require(options.confidence >= 0 && options.confidence < 1, "confidence", c10::str(options.confidence), "0 or more and under 1");
  require(options.iou > 0 && options.iou <= 1, "iou", c10::str(options.iou), "over 0 and at most 1");
  require(options.max_detections >= 1, "max_detections", std::to_string(options.max_detections), "1 or more");
  require(options.max_candidates >= 1, "max_candidates", std::to_string(options.max_candidates), "1 or more");
}

std::vector<std::vector<Detection>> suppress(const Candidates& candidates, const DetectionOptions& options) {
  torch::NoGradGuard no_gradient;
  const torch::Tensor rows = pack(candidates, options.confidence);
  const auto* integers = rows.const_data_ptr<std::int32_t>();
  std::vector<std::vector<Detection>> pictures(static_cast<std::size_t>(candidates.boxes.size(0)));
  for (std::int64_t i = 0; i < rows.size(0); ++i, integers += kColumns) {
    const auto number = [&](int column) { return std::bit_cast<float>(integers[column]); };
    pictures[static_cast<std::size_t>(integers[5])].push_back({number(0), number(1), number(2), number(3), number(4), integers[6]});
  }
  at::parallel_for(0, static_cast<std::int64_t>(pictures.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      pictures[i] = suppress_one(std::move(pictures[i]), options);
  });
  return pictures;
}

}  // namespace letterpress
