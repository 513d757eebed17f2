#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/fit/step/training_step.h"

namespace letterpress {

/// The trained thing: network, loss, optimiser and averaged weights on one device, and how they go
/// into checkpoints and come out of them.
class RunModel {
 public:
  /// Random start from options.seed; `start`, where given, is then told to change it: on the CPU,
  /// before anything is derived from it.
  RunModel(const Graph& graph, const FitOptions& options, torch::Device device,
           const std::function<void(Network&)>& start = {});

  /// Goes on from a checkpoint with its "train.*" and "optimiser.*": bit-exact. Throws Error saying
  /// what is missing.
  void resume(const Checkpoint& checkpoint);

  Network& network() { return network_; }
  const Loss& loss() const { return *loss_; }
  TrainingStep& step() { return *step_; }
  std::int64_t skipped_steps()
      const;  ///< left out for gradients that are not finite; waits for the device

  /// Runs `work` with the weights to use: the averaged ones where they are kept.
  template <class Work>
  auto with_weights_to_use(Work&& work) {
    if (!ema_) return work();
    const UseEma use(*ema_);
    return work();
  }

  /// Plain names: the weights to use. With `for_training` also "train.*" and "optimiser.*".
  std::map<std::string, torch::Tensor> tensors(bool for_training);

 private:
  void make_average(std::int64_t updates);

  FitOptions options_;
  torch::Dtype type_;
  GraphMaker graphs_;  ///< of --cuda-graph
  Network network_;
  std::unique_ptr<Loss> loss_;
  std::unique_ptr<Optimiser> optimiser_;
  std::unique_ptr<GradientScaler> scaler_;  ///< of fp16
  std::unique_ptr<WeightEma> ema_;
  std::unique_ptr<TrainingStep> step_;
};

}  // namespace letterpress
