#include <algorithm>

#include "letterpress/base/error.h"
#include "trainer/detection/decode.h"
#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

constexpr float kNone = -1;           // score of a slot without candidate
constexpr std::int64_t kColumns = 6;  // of a found row: x1 y1 x2 y2 score class
constexpr std::int64_t kLooksOnDevice =
    16;  // rounds between checks whether candidates remain; each check waits for the device

/// The candidates of all pictures side by side, each picture's best first; of equal scores the
/// lower box, then the lower class.
struct Ranked {
  torch::Tensor boxes;    // float32 [B, K, 4]
  torch::Tensor scores;   // float32 [B, K], kNone after a picture's last
  torch::Tensor classes;  // int64 [B, K]
  torch::Tensor limits;   // float32 [B, K]: the score that a candidate must stay above
};

torch::Tensor thresholds(const Candidates& candidates, const DetectionOptions& options) {
  const std::int64_t classes = candidates.scores.size(2);
  if (options.class_confidence.empty())
    return torch::full({classes}, options.confidence, candidates.scores.options());
  if (static_cast<std::int64_t>(options.class_confidence.size()) != classes) {
    throw Error({.where = "detection",
                 .what = "class_confidence has " + std::to_string(options.class_confidence.size()) +
                         " scores, the model " + std::to_string(classes) + " classes"},
                Exit::bug);
  }
  return torch::tensor(options.class_confidence).to(candidates.scores.device());
}

Ranked rank(const Candidates& candidates, const DetectionOptions& options) {
  const std::int64_t pictures = candidates.boxes.size(0), classes = candidates.scores.size(2);
  const torch::Tensor lowest = thresholds(candidates, options);
  const torch::Tensor where =
      (candidates.scores > lowest).nonzero();  // [n, 3] picture, prediction, class: in this order
  const torch::Tensor picture = where.select(1, 0),
                      place = where.select(1, 1) * classes + where.select(1, 2);
  const torch::Tensor counts = torch::bincount(picture, {}, pictures);
  const std::int64_t widest = where.size(0) == 0 ? 0 : counts.max().item<std::int64_t>();
  const torch::Tensor position = torch::arange(where.size(0), where.options()) -
                                 (counts.cumsum(0) - counts).index_select(0, picture);
  torch::Tensor scores = torch::full({pictures, widest}, kNone, candidates.scores.options());
  torch::Tensor places = torch::zeros({pictures, widest}, where.options());
  scores.index_put_({picture, position}, candidates.scores.flatten(1).index({picture, place}));
  places.index_put_({picture, position}, place);
  const auto [sorted, order] = scores.sort(/*stable=*/true, 1, /*descending=*/true);
  const std::int64_t kept = std::min<std::int64_t>(widest, options.max_candidates);
  places = places.gather(1, order.narrow(1, 0, kept));
  const torch::Tensor box =
      torch::div(places, classes, "floor").unsqueeze(2).expand({pictures, kept, 4});
  const torch::Tensor class_id = places.remainder(classes);
  return {candidates.boxes.gather(1, box), sorted.narrow(1, 0, kept).contiguous(), class_id,
          lowest.index_select(0, class_id.reshape({-1})).view({pictures, kept})};
}

/// Every round takes each picture's best candidate and lowers the scores of the others. Returns
/// float32 [B, rounds, 6] on the device.
torch::Tensor take_best(const Ranked& ranked, const DetectionOptions& options) {
  const SuppressionEntry& variant = find_suppression(options.suppression);
  const std::int64_t n = ranked.scores.size(1),
                     every = ranked.scores.is_cuda() ? kLooksOnDevice : 1;
  const torch::Tensor index = torch::arange(n, ranked.classes.options()).unsqueeze(0);
  const torch::Tensor boxes = ranked.boxes.permute({2, 0, 1})
                                  .to(torch::kDouble)
                                  .contiguous();  // whole rows of x1, of y1, ...
  torch::Tensor scores = ranked.scores;
  std::vector<torch::Tensor> rows;
  for (std::int64_t round = 0; n > 0 && round < options.max_detections; ++round) {
    if (round % every == 0 && !(scores > kNone).any().item<bool>()) break;
    const torch::Tensor score = scores.amax(1, true);
    const torch::Tensor best =
        torch::where(scores == score, index, n).amin(1, true);  // [B, 1], the first of equals
    const torch::Tensor corners = boxes.gather(2, best.unsqueeze(0).expand({4, -1, 1})),
                        class_id = ranked.classes.gather(1, best);
    rows.push_back(torch::cat(
        {corners.squeeze(2).t().to(torch::kFloat), score, class_id.to(torch::kFloat)}, 1));
    const torch::Tensor factor = variant.factor(corners, boxes, static_cast<double>(options.iou));
    const torch::Tensor lowered = (scores * factor).to(torch::kFloat);
    scores = variant.across_classes ? lowered
                                    : torch::where(ranked.classes == class_id, lowered, scores);
    scores = torch::where((scores > ranked.limits).logical_and(index != best), scores, kNone);
  }
  if (rows.empty()) return torch::zeros({ranked.scores.size(0), 0, kColumns});
  return torch::stack(rows, 1);
}

void require(bool valid, const std::string& field, const std::string& got,
             const std::string& wanted) {
  if (!valid)
    throw Error({.where = "detection", .what = field + " is " + got + ", must be " + wanted},
                Exit::usage);
}

bool is_score(float value) { return value >= 0 && value < 1; }

}  // namespace

void validate(const DetectionOptions& options) {
  require(is_score(options.confidence), "confidence", c10::str(options.confidence),
          "0 or more and under 1");
  for (const float score : options.class_confidence)
    require(is_score(score), "class_confidence", c10::str(score), "0 or more and under 1");
  require(options.iou > 0 && options.iou <= 1, "iou", c10::str(options.iou),
          "over 0 and at most 1");
  require(options.max_detections >= 1, "max_detections", std::to_string(options.max_detections),
          "1 or more");
  require(options.max_candidates >= 1, "max_candidates", std::to_string(options.max_candidates),
          "1 or more");
  find_suppression(options.suppression);
}

std::vector<std::vector<Detection>> suppress(const Candidates& candidates,
                                             const DetectionOptions& options) {
  torch::NoGradGuard no_gradient;
  const torch::Tensor rows = take_best(rank(candidates, options), options).cpu().contiguous();
  std::vector<std::vector<Detection>> pictures(static_cast<std::size_t>(candidates.boxes.size(0)));
  const float* row = rows.const_data_ptr<float>();
  for (std::vector<Detection>& found : pictures) {
    for (std::int64_t i = 0; i < rows.size(1); ++i, row += kColumns) {
      if (row[4] > kNone)
        found.push_back(
            {row[0], row[1], row[2], row[3], row[4], static_cast<std::int32_t>(row[5])});
    }
  }
  return pictures;
}

}  // namespace letterpress
