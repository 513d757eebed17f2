#pragma once
#include <torch/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainer/named_tensor.h"
#include "trainer/optimisers/optimiser_options.h"

namespace letterpress {

/// Updates parameters in place from their gradients by PyTorch's fused kernels, on the parameters'
/// device. Nothing in step() waits for that device.
///
/// State is one tensor per parameter and slot, "optimiser.<parameter>.<slot>":
///   sgd (momentum > 0)  velocity                     float32, shape of the parameter
///   adam, adamw         first_moment, second_moment  float32, shape of the parameter
///                       steps                        float32 scalar, updates done
/// A parameter without a gradient in a step (frozen) keeps its value and state.
class Optimiser {
 public:
  virtual ~Optimiser() = default;

  /// One update with learning rate `lr`. The gradients are multiplied by `scale` and, if their norm
  /// is then above clip_norm, by clip_norm / norm, in one multiplication. Afterwards the gradients
  /// hold what was applied.
  ///   scale   float32 scalar on the parameters' device: 1 / (normaliser summed over
  ///           micro-batches and ranks)
  ///   result  float32 scalar: L2 norm of the scaled gradients before clipping
  /// When that norm is not finite, the step changes no parameter and no state, and skipped() counts
  /// it; the device decides.
  virtual torch::Tensor step(double lr, const torch::Tensor& scale) = 0;

  /// Drops the gradients (they become undefined, which saves the fill).
  virtual void clear_gradients() = 0;
  /// Fills existing gradients with zeros in place, for backward to add to. Zeros count as a
  /// gradient: such a parameter is updated by its moments and weight decay.
  virtual void zero_gradients() = 0;

  /// float32 scalar on the device: steps skipped because of a non-finite gradient, since
  /// construction.
  virtual torch::Tensor skipped() const = 0;

  /// The live state tensors (not copies); clone before changing or keeping them.
  virtual std::map<std::string, torch::Tensor> state() const = 0;

  /// Copies a state, from any device; other names in `tensors` are ignored, so a whole checkpoint
  /// may be passed. Throws Error naming the first tensor that is missing or has another shape, and
  /// changes nothing.
  virtual void load_state(const std::map<std::string, torch::Tensor>& tensors) = 0;
};

/// The optimiser that `options` names, for `parameters` (all on one device, float32; names unique).
std::unique_ptr<Optimiser> make_optimiser(const OptimiserOptions& options,
                                          std::vector<NamedTensor> parameters);

}  // namespace letterpress
