#include <algorithm>
#include <limits>

#include "letterpress/base/error.h"
#include "trainer/detection/distance_head.h"
#include "trainer/losses/alignment.h"
#include "trainer/losses/class_targets.h"
#include "trainer/losses/complete_iou.h"
#include "trainer/losses/registry.h"

namespace letterpress {
namespace {

// Weights of the terms, as published with the models of this layout.
constexpr double kBox = 7.5, kClasses = 0.5, kDistribution = 1.5;
constexpr double kInsideLastBin =
    0.01;  // strides by which a target stays below the last bin, so that it is between two

/// All heads' predictions side by side: P points.
struct Joined {
  torch::Tensor distances;  // float [B, P, 4, bins] logits
  torch::Tensor classes;    // float [B, P, C] logits
  torch::Tensor points;     // float [P, 2] pixels
  torch::Tensor stride;     // float [P, 1] pixels
};

/// Cross-entropy with the two bins beside the target, by its distance from them, mean of the four
/// sides: arXiv:2006.04388, section 3.2.
///   logits  float [B, P, 4, bins]
///   target  float [B, P, 4], strides
torch::Tensor distribution_loss(const torch::Tensor& logits, const torch::Tensor& target) {
  const torch::Tensor bounded =
      target.clamp(0, static_cast<double>(logits.size(3) - 1) - kInsideLastBin);
  const torch::Tensor left = bounded.floor(), right_share = bounded - left;
  const torch::Tensor bin = left.to(torch::kLong).unsqueeze(3), chances = logits.log_softmax(3);
  const torch::Tensor at_left = chances.gather(3, bin).squeeze(3),
                      at_right = chances.gather(3, bin + 1).squeeze(3);
  return -(at_left * (1 - right_share) + at_right * right_share).mean(2);
}

/// The loss of models without anchors. Each point that a ground truth takes (alignment.h) gets the
/// target score of that ground truth's class; all other scores get 0. Terms: cross-entropy of all
/// scores; for points with a target, weighted by it, 1 - complete IoU and the loss of the distance
/// distributions. The normaliser is the sum of the target scores.
class TaskAlignedLoss final : public Loss {
 public:
  TaskAlignedLoss(const Graph& graph, const LossOptions& options)
      : classes_(graph.classes), class_targets_(options) {
    for (const int output : graph.outputs)
      heads_.push_back(distance_head(graph, graph.layers.at(static_cast<std::size_t>(output))));
    for (const DistanceHead& head : heads_) {
      finest_stride_ = std::min(finest_stride_, static_cast<double>(head.stride));
      if (head.bins != heads_.front().bins)
        throw Error({.where = "loss task-aligned",
                     .what = "heads of " + std::to_string(heads_.front().bins) + " and " +
                             std::to_string(head.bins) + " bins per distance, must be equal"});
    }
  }

  const std::vector<std::string>& term_names() const override {
    static const std::vector<std::string> names{"box", "classes", "distribution"};
    return names;
  }

  LossValue operator()(const std::vector<torch::Tensor>& outputs,
                       const Batch& batch) const override {
    check(outputs);
    const Joined joined = join(outputs);
    const GroundTruths ground_truths = ground_truths_of(batch);
    const torch::Tensor points = joined.points / joined.stride;
    const torch::Tensor boxes =
        boxes_around(points, mean_distances(joined.distances));  // in strides of each point
    const Alignment found =
        align(ground_truths, {joined.points, boxes.detach() * joined.stride,
                              joined.classes.detach().sigmoid(), finest_stride_});
    const torch::Tensor weight = batch.weight.to(boxes.scalar_type()).unsqueeze(1);
    const torch::Tensor share = found.score * weight;  // [B, P]
    const torch::Tensor targets =
        targets_of(ground_truths, found, boxes.scalar_type()) / joined.stride;

    const torch::Tensor box = ((1 - complete_iou(boxes, targets)) * share).sum() * kBox;
    const torch::Tensor sides =
        torch::cat({points - targets.narrow(2, 0, 2), targets.narrow(2, 2, 2) - points}, 2);
    const torch::Tensor distribution =
        (distribution_loss(joined.distances, sides) * share).sum() * kDistribution;
    const torch::Tensor classes = class_loss(joined, ground_truths, found, weight) * kClasses;
    return {.sum = box + classes + distribution,
            .normaliser = share.sum(),
            .terms = {box.detach(), classes.detach(), distribution.detach()}};
  }

 private:
  void check(const std::vector<torch::Tensor>& outputs) const {
    std::vector<std::int64_t> channels;
    for (const auto& head : heads_) channels.push_back(4 * head.bins + classes_);
    check_outputs("task-aligned", outputs, channels);
  }

  Joined join(const std::vector<torch::Tensor>& outputs) const {
    std::vector<torch::Tensor> distances, classes, points, strides;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const DistancePredictions predictions = distance_predictions(heads_[i], outputs[i]);
      distances.push_back(predictions.distances);
      classes.push_back(predictions.classes);
      points.push_back(predictions.points);
      strides.push_back(torch::full({predictions.points.size(0), 1}, heads_[i].stride,
                                    predictions.points.options()));
    }
    return {torch::cat(distances, 1), torch::cat(classes, 1), torch::cat(points),
            torch::cat(strides)};
  }

  /// Box of each point's ground truth, [B, P, 4]; for points without one any box, which has no
  /// weight.
  static torch::Tensor targets_of(const GroundTruths& ground_truths, const Alignment& found,
                                  torch::Dtype type) {
    if (ground_truths.boxes.size(1) == 0)
      return torch::zeros({found.ground_truth.size(0), found.ground_truth.size(1), 4},
                          found.score.options());
    return ground_truths.boxes.to(type).gather(1,
                                               found.ground_truth.unsqueeze(2).expand({-1, -1, 4}));
  }

  torch::Tensor class_loss(const Joined& joined, const GroundTruths& ground_truths,
                           const Alignment& found, const torch::Tensor& weight) const {
    torch::Tensor target = torch::zeros_like(joined.classes),
                  counts = weight.expand_as(found.score);
    if (ground_truths.boxes.size(1) > 0) {
      const torch::Tensor class_id =
          ground_truths.classes.gather(1, found.ground_truth).clamp(0, classes_ - 1);
      const torch::Tensor hard = target.scatter(2, class_id.unsqueeze(2), 1);
      target = class_targets_.smooth(hard, 1.0 / static_cast<double>(classes_)) *
               found.score.unsqueeze(2);
      const torch::Tensor in_crowd = inside(joined.points, ground_truths.boxes)
                                         .logical_and_(ground_truths.crowds.unsqueeze(1))
                                         .any(2);
      counts = counts * in_crowd.logical_and(found.positive.logical_not()).logical_not();
      if (class_targets_.weighs())
        counts = counts *
                 torch::where(found.positive, class_targets_.weights(class_id, joined.classes), 1);
    }
    const torch::Tensor loss =
        at::binary_cross_entropy_with_logits(joined.classes, target, {}, {}, at::Reduction::None);
    return (loss * counts.unsqueeze(2)).sum();
  }

  std::vector<DistanceHead> heads_;
  double finest_stride_ = std::numeric_limits<double>::infinity();
  std::int64_t classes_;
  ClassTargets class_targets_;
};

}  // namespace

extern const LossEntry task_aligned_loss{
    "task-aligned",
    "for heads without anchors: complete IoU, distributions of distances, scores that follow both "
    "(arXiv:2108.07755)",
    [](const Graph& graph, const LossOptions& options) -> std::unique_ptr<Loss> {
      return std::make_unique<TaskAlignedLoss>(graph, options);
    }};

}  // namespace letterpress
