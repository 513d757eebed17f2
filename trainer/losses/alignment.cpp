#include "trainer/losses/alignment.h"

#include <algorithm>
#include <vector>

#include "trainer/losses/complete_iou.h"

namespace letterpress {
namespace {

constexpr std::int64_t kPointsPerGroundTruth = 10;
constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 22;

/// bool [B, M, P]: the point is inside the object, of which no side is shorter than least_side.
torch::Tensor inside_objects(const GroundTruths& ground_truths, const torch::Tensor& points,
                             double least_side) {
  constexpr double kRoom = 1.001;  // a point on an edge is outside
  torch::Tensor inside = ground_truths.objects.unsqueeze(2);
  for (const std::int64_t axis : {0, 1}) {
    const torch::Tensor low = ground_truths.boxes.select(2, axis).unsqueeze(2),
                        high = ground_truths.boxes.select(2, axis + 2).unsqueeze(2),
                        middle = (low + high) / 2, at = points.select(1, axis);
    const double reach = kRoom * least_side / 2;
    inside = inside.logical_and(at > at::minimum(low, middle - reach))
                 .logical_and_(at < at::maximum(high, middle + reach));
  }
  return inside;
}

/// float [B, M, P]: the score of each ground truth's class at each point.
torch::Tensor scores_of_ground_truths(const GroundTruths& ground_truths,
                                      const torch::Tensor& scores) {
  const std::int64_t points = scores.size(1);
  const torch::Tensor row =
      ground_truths.classes.clamp(0, scores.size(2) - 1).unsqueeze(2).expand({-1, -1, points});
  return scores.transpose(1, 2).gather(1, row);
}

Alignment align_some(const GroundTruths& ground_truths, const PointPredictions& predictions) {
  const torch::Tensor inside =
      inside_objects(ground_truths, predictions.points, predictions.least_side);
  const torch::Tensor overlap =
      complete_iou(ground_truths.boxes.to(predictions.boxes.scalar_type()).unsqueeze(2),
                   predictions.boxes.unsqueeze(1))
          .clamp_min_(0)
          .mul_(inside);
  const torch::Tensor metric =
      scores_of_ground_truths(ground_truths, predictions.scores).sqrt().mul_(overlap.pow(6));

  const auto [best, place] = metric.topk(std::min(kPointsPerGroundTruth, metric.size(2)), 2);
  torch::Tensor wanted = torch::zeros_like(inside).scatter_(2, place, best > 0);
  const torch::Tensor ground_truth = torch::where(wanted, overlap, -1).argmax(1);  // [B, P]
  const torch::Tensor row = torch::arange(metric.size(1), ground_truth.options()).view({1, -1, 1});
  wanted.logical_and_(row == ground_truth.unsqueeze(1));

  const torch::Tensor own = metric * wanted;
  const torch::Tensor largest = own.amax(2, true),
                      largest_overlap = (overlap * wanted).amax(2, true);
  const torch::Tensor score = own * (largest_overlap / torch::where(largest > 0, largest, 1));
  return {wanted.any(1), ground_truth * wanted.any(1), score.amax(1)};
}

Alignment nothing(const PointPredictions& predictions) {
  const torch::Tensor score = torch::zeros_like(predictions.scores.select(2, 0));
  return {score.to(torch::kBool), score.to(torch::kLong), score};
}

GroundTruths part_of(const GroundTruths& ground_truths, std::int64_t first, std::int64_t n) {
  const auto part = [&](const torch::Tensor& tensor) { return tensor.narrow(0, first, n); };
  return {part(ground_truths.boxes), part(ground_truths.classes), part(ground_truths.objects),
          part(ground_truths.crowds)};
}

}  // namespace

Alignment align(const GroundTruths& ground_truths, const PointPredictions& predictions) {
  const torch::NoGradGuard no_gradient;
  const std::int64_t pictures = ground_truths.boxes.size(0), rows = ground_truths.boxes.size(1);
  if (rows == 0) return nothing(predictions);
  const std::int64_t at_once =
      std::max<std::int64_t>(1, kElementsAtOnce / (rows * predictions.points.size(0)));
  std::vector<torch::Tensor> positive, ground_truth, score;
  for (std::int64_t first = 0; first < pictures; first += at_once) {
    const std::int64_t n = std::min(at_once, pictures - first);
    const Alignment some = align_some(part_of(ground_truths, first, n),
                                      {.points = predictions.points,
                                       .boxes = predictions.boxes.narrow(0, first, n),
                                       .scores = predictions.scores.narrow(0, first, n),
                                       .least_side = predictions.least_side});
    positive.push_back(some.positive);
    ground_truth.push_back(some.ground_truth);
    score.push_back(some.score);
  }
  return {torch::cat(positive), torch::cat(ground_truth), torch::cat(score)};
}

}  // namespace letterpress
