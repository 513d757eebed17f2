#include <algorithm>
#include <array>

#include "trainer/detection/anchor_head.h"
#include "trainer/losses/assignment.h"
#include "trainer/losses/class_targets.h"
#include "trainer/losses/registry.h"

namespace letterpress {
namespace {

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& target) {
  return at::binary_cross_entropy_with_logits(logits, target.to(logits.scalar_type()), {}, {},
                                              at::Reduction::None);
}

/// YOLOv3, arXiv:1804.02767, section 2. Per ground truth, at its cell and best anchor:
/// cross-entropy of the centre and half the squared error of the log size, both times 2 - w * h (w,
/// h as shares of the frame: small boxes count more); cross-entropy of each class. Per prediction:
/// cross-entropy of the objectness, except for those without ground truth that do not count as
/// negatives (assignment.h).
class Yolov3Loss final : public Loss {
 public:
  Yolov3Loss(const Graph& graph, const LossOptions& options)
      : heads_(anchor_heads(graph)),
        ignore_iou_(graph.ignore_iou),
        classes_(graph.classes),
        class_targets_(options) {
    std::vector<double> sizes = graph.anchors;
    const auto n_anchors = static_cast<std::int64_t>(sizes.size() / 2);
    anchors_ = torch::tensor(sizes, torch::kDouble).to(torch::kFloat).view({n_anchors, 2});
    used_ = torch::zeros({n_anchors}, torch::kBool);
    for (const AnchorHead& head : heads_) {
      torch::Tensor place = torch::full({n_anchors}, -1, torch::kLong);
      for (std::size_t a = 0; a < head.anchors.size(); ++a)
        place[head.anchors[a]] = static_cast<std::int64_t>(a);
      used_.logical_or_(place >= 0);
      places_.push_back(place);
    }
  }

  const std::vector<std::string>& term_names() const override {
    static const std::vector<std::string> names{"box_xy", "box_wh", "objectness", "classes"};
    return names;
  }

  LossValue operator()(const std::vector<torch::Tensor>& outputs,
                       const Batch& batch) const override {
    check(outputs);
    move_tables(outputs.front().device());
    const GroundTruths ground_truths = ground_truths_of(batch);
    const torch::Tensor best_anchor = best_anchors(ground_truths, anchors_, used_);
    std::vector<torch::Tensor> terms(term_names().size());
    for (std::size_t i = 0; i < heads_.size(); ++i)
      add(terms, head_terms(i, outputs[i], ground_truths, best_anchor, batch.weight));
    LossValue value;
    value.sum = terms[0] + terms[1] + terms[2] + terms[3];
    value.normaliser = batch.weight.sum().detach();
    for (const torch::Tensor& term : terms) value.terms.push_back(term.detach());
    return value;
  }

 private:
  static void add(std::vector<torch::Tensor>& terms, const std::vector<torch::Tensor>& more) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = terms[i].defined() ? terms[i] + more[i] : more[i];
  }

  void check(const std::vector<torch::Tensor>& outputs) const {
    std::vector<std::int64_t> channels;
    for (const auto& head : heads_)
      channels.push_back(static_cast<std::int64_t>(head.anchors.size()) * (5 + classes_));
    check_outputs("yolov3", outputs, channels);
  }

  /// A copy from the host waits for the device, so it is made once and not per step.
  void move_tables(torch::Device device) const {
    if (anchors_.device() == device) return;
    anchors_ = anchors_.to(device);
    used_ = used_.to(device);
    for (torch::Tensor& place : places_) place = place.to(device);
  }

  /// xy, wh, objectness, classes of one head, summed over the batch.
  std::vector<torch::Tensor> head_terms(std::size_t i, const torch::Tensor& output,
                                        const GroundTruths& ground_truths,
                                        const torch::Tensor& best_anchor,
                                        const torch::Tensor& weight) const {
    const AnchorHead& head = heads_[i];
    const std::int64_t height = output.size(2), width = output.size(3);
    const torch::Tensor predictions = head_predictions(head, output);
    const HeadGrid grid{head.stride, height,   width,
                        places_[i],  anchors_, static_cast<std::int64_t>(head.anchors.size())};
    const Assignment target = assign(ground_truths, best_anchor, grid);

    const torch::Tensor found =
        predictions.gather(1, target.prediction.unsqueeze(2).expand(
                                  {-1, -1, predictions.size(2)}));      // [B, M, 5 + classes]
    const torch::Tensor share = target.positive * weight.unsqueeze(1);  // [B, M]
    const torch::Tensor box_share =
        share * (2 - frame_share(ground_truths, head.stride * width, head.stride * height));
    const torch::Tensor xy = cross_entropy(found.narrow(2, 0, 2), target.xy).sum(2);
    const torch::Tensor wh = (found.narrow(2, 2, 2) - target.wh).square().sum(2) * 0.5;
    const torch::Tensor each_class = torch::arange(classes_, ground_truths.classes.options());
    const torch::Tensor is_class =
        ground_truths.classes.unsqueeze(2).eq(each_class).to(torch::kFloat);
    const torch::Tensor smooth =
        class_targets_.smooth(is_class, 1.0 / static_cast<double>(classes_));
    torch::Tensor classes = cross_entropy(found.narrow(2, 5, classes_), smooth).sum(2);
    if (class_targets_.weighs())
      classes =
          classes * class_targets_.weights(ground_truths.classes.clamp(0, classes_ - 1), classes);
    return {(xy * box_share).sum(), (wh * box_share).sum(),
            objectness(head, predictions, ground_truths, target, {height, width}, weight),
            (classes * share).sum()};
  }

  torch::Tensor objectness(const AnchorHead& head, const torch::Tensor& predictions,
                           const GroundTruths& ground_truths, const Assignment& target,
                           std::array<std::int64_t, 2> cells, const torch::Tensor& weight) const {
    torch::Tensor counts;
    {
      torch::NoGradGuard no_gradient;
      const torch::Tensor boxes = decode_boxes(head, predictions, cells[0], cells[1]);
      const torch::Tensor centres = cell_centres(head, cells[0], cells[1], predictions.device());
      counts = excused(boxes, centres, ground_truths, ignore_iou_)
                   .logical_not_()
                   .logical_or_(target.taken) *
               weight.unsqueeze(1);
    }
    return (cross_entropy(predictions.select(2, 4), target.taken.to(torch::kFloat)) * counts).sum();
  }

  /// Area of each ground truth over that of the frame, float32 [B, M].
  static torch::Tensor frame_share(const GroundTruths& ground_truths, std::int64_t width,
                                   std::int64_t height) {
    const torch::Tensor size =
        ground_truths.boxes.narrow(2, 2, 2) - ground_truths.boxes.narrow(2, 0, 2);
    return size.select(2, 0) * size.select(2, 1) / static_cast<double>(width * height);
  }

  std::vector<AnchorHead> heads_;
  double ignore_iou_;
  std::int64_t classes_;
  ClassTargets class_targets_;
  mutable torch::Tensor anchors_;              // float32 [K, 2]
  mutable torch::Tensor used_;                 // bool [K]
  mutable std::vector<torch::Tensor> places_;  // per head int64 [K]
};

}  // namespace

extern const LossEntry yolov3_loss{
    "yolov3",
    "cross-entropy of centre, objectness and classes, squared error of the log size; one anchor "
    "per box (arXiv:1804.02767)",
    [](const Graph& graph, const LossOptions& options) -> std::unique_ptr<Loss> {
      return std::make_unique<Yolov3Loss>(graph, options);
    }};

}  // namespace letterpress
