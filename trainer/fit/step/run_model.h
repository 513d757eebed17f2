#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "trainer/checkpoint/network_weights.h"
#include "trainer/fit/opening/open_training.h"
#include "trainer/fit/step/training_step.h"

namespace letterpress {

/// What is trained: network, loss, optimiser and EMA weights on one device, and how they go into
/// checkpoints and come out of them.
class RunModel {
 public:
  /// Random start from options.seed; `start`, where given, then changes it: on the CPU, before
  /// anything is derived from it.
  RunModel(const Graph& graph, const FitOptions& options, torch::Device device,
           const std::function<void(Network&)>& start = {});

  /// Goes on from a checkpoint with its "train.*" and "optimiser.*": bit-exact. Throws Error saying
  /// what is missing.
  void resume(const Checkpoint& checkpoint);

  Network& network() { return network_; }
  const Graph& graph() const { return network_.graph(); }
  torch::Device device() const { return device_; }
  torch::Dtype type() const { return type_; }  ///< that the layers compute in
  const Loss& loss() const { return *loss_; }
  TrainingStep& step() { return *step_; }
  /// Steps left out, in this process, as their gradients were not finite. Waits for the device.
  std::int64_t skipped_steps() const;

  /// Runs `work` with the weights to use: the EMA where there is one.
  template <class Work>
  auto with_weights_to_use(Work&& work) {
    if (!ema_) return work();
    const UseEma use(*ema_);
    return work();
  }

  /// Plain names: the weights to use. With `for_training` also "train.*" and "optimiser.*".
  std::map<std::string, torch::Tensor> tensors(bool for_training);

 private:
  void make_ema(std::int64_t updates);

  FitOptions options_;
  torch::Device device_;
  torch::Dtype type_;
  GraphMaker graphs_;  ///< of --cuda-graph
  Network network_;
  std::unique_ptr<Loss> loss_;
  std::unique_ptr<Optimiser> optimiser_;
  std::unique_ptr<GradientScaler> scaler_;  ///< of fp16
  std::unique_ptr<WeightEma> ema_;
  std::unique_ptr<TrainingStep> step_;
};

/// The model of a run as it starts: resumed, or with its start weights, and `note` says
/// what went where. "model yolov8n: ... parameters" too.
std::unique_ptr<RunModel> start_model(const Run& run, ModelStart start, torch::Device device,
                                      const Note& note);

}  // namespace letterpress
