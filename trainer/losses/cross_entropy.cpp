#include "letterpress/base/error.h"
#include "trainer/losses/class_targets.h"
#include "trainer/losses/registry.h"

namespace letterpress {
namespace {

/// Cross-entropy of the whole picture's class, over the pictures that have one, weighted by class.
/// The normaliser counts them.
class CrossEntropyLoss final : public Loss {
 public:
  CrossEntropyLoss(const Graph& graph, const LossOptions& options)
      : classes_(graph.classes), targets_(options) {}

  const std::vector<std::string>& term_names() const override {
    static const std::vector<std::string> names{"cross_entropy"};
    return names;
  }

  LossValue operator()(const std::vector<torch::Tensor>& outputs,
                       const Batch& batch) const override {
    if (outputs.size() != 1 || outputs[0].dim() != 2 || outputs[0].size(1) != classes_)
      throw Error({.where = "loss cross-entropy",
                   .what = "must have one output [B, " + std::to_string(classes_) + "], got " +
                           std::to_string(outputs.size()) +
                           (outputs.empty() ? "" : ", the first " + c10::str(outputs[0].sizes()))},
                  Exit::bug);
    const torch::Tensor& logits = outputs[0];
    const torch::Tensor label = batch.label.clamp_min(0).unsqueeze(1);
    const torch::Tensor counts = (batch.label >= 0) * batch.weight.to(logits.scalar_type());
    const torch::Tensor hard = torch::zeros_like(logits).scatter(1, label, 1);
    const torch::Tensor target = targets_.smooth(hard, 1.0 / static_cast<double>(classes_));
    torch::Tensor loss = -(target * logits.log_softmax(1)).sum(1) * counts;
    if (targets_.weighs()) loss = loss * targets_.weights(label.squeeze(1), logits);
    const torch::Tensor sum = loss.sum();
    return {.sum = sum, .normaliser = counts.sum(), .terms = {sum.detach()}};
  }

 private:
  std::int64_t classes_;
  ClassTargets targets_;
};

}  // namespace

extern const LossEntry cross_entropy_loss{
    "cross-entropy", "cross-entropy of the class of the whole picture",
    [](const Graph& graph, const LossOptions& options) -> std::unique_ptr<Loss> {
      return std::make_unique<CrossEntropyLoss>(graph, options);
    }};

}  // namespace letterpress
