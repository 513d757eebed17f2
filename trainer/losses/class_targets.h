#pragma once
#include <torch/types.h>

#include "trainer/losses/loss.h"

namespace letterpress {

/// Applies LossOptions to the terms of classes. One thread at a time: the weights move to the
/// device at the first call there.
class ClassTargets {
 public:
  explicit ClassTargets(const LossOptions& options);

  /// Each value t of float [...] -> t (1 - smoothing) + smoothing * share: share is what each class
  /// gets (arXiv:1512.00567, section 7).
  torch::Tensor smooth(const torch::Tensor& targets, double share) const;
  /// Whether classes have weights.
  bool weighs() const { return weights_.defined(); }
  /// Weights of classes, int64 [...] 0 to classes - 1; on the device and of the type of `like`.
  /// Only where weighs().
  torch::Tensor weights(const torch::Tensor& classes, const torch::Tensor& like) const;

 private:
  double smoothing_;
  mutable torch::Tensor weights_;
};

}  // namespace letterpress
