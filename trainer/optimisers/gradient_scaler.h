#pragma once
#include <torch/types.h>

#include <map>
#include <string>

namespace letterpress {

struct GradientScalerOptions {
  double start = 65536;     ///< first scale
  double growth = 2;        ///< the scale is multiplied by it ...
  int growth_steps = 2000;  ///< ... after this many good steps in a row
  double backoff = 0.5;     ///< and by this after a step with a gradient that is not finite
};

/// The dynamic loss scale of training in float16: the loss is multiplied by it, so that small
/// gradients do not vanish, and the gradients are divided by it again. arXiv:1710.03740,
/// section 3.2. Nothing waits for the device.
///
/// State: "optimiser.scaler.scale" float32 scalar, "optimiser.scaler.good_steps" int32 scalar: good
/// steps since the scale last changed.
class GradientScaler {
 public:
  explicit GradientScaler(torch::Device device, const GradientScalerOptions& options = {});

  /// float32 scalar on the device; the next update() changes it.
  const torch::Tensor& scale() const noexcept { return scale_; }
  /// Call it after each step; Optimiser skips the step for the same reason. norm: float32 scalar on
  /// the device, of all gradients; not finite when a gradient is not.
  void update(const torch::Tensor& norm);

  /// The live tensors (not copies).
  std::map<std::string, torch::Tensor> state() const;
  /// Copies a state, from any device; other names are ignored. Without a state (a run in another
  /// precision) nothing changes.
  void load_state(const std::map<std::string, torch::Tensor>& tensors);

 private:
  GradientScalerOptions options_;
  torch::Tensor scale_, good_steps_;
};

}  // namespace letterpress
