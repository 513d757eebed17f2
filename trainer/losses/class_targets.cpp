#include "trainer/losses/class_targets.h"

namespace letterpress {

ClassTargets::ClassTargets(const LossOptions& options) : smoothing_(options.label_smoothing) {
  if (!options.class_weights.empty())
    weights_ = torch::tensor(options.class_weights, torch::kDouble);
}

torch::Tensor ClassTargets::smooth(const torch::Tensor& targets, double share) const {
  return smoothing_ == 0 ? targets : targets * (1 - smoothing_) + smoothing_ * share;
}

torch::Tensor ClassTargets::weights(const torch::Tensor& classes, const torch::Tensor& like) const {
  if (weights_.device() != like.device() || weights_.scalar_type() != like.scalar_type())
    weights_ = weights_.to(like.options());
  return weights_.index_select(0, classes.flatten()).view_as(classes);
}

}  // namespace letterpress
