#pragma once
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <utility>

#include "trainer/batch.h"
#include "trainer/device/cuda_graph.h"

namespace letterpress {

/// Does the same work with one batch after another: a few times as it is, then as replays of a
/// graph that was captured once. Batches are copied to where the graph reads them. A batch of other
/// shapes begins anew. One thread.
class StepGraph {
 public:
  /// What is done with a batch, as DeviceGraph has it. Result: a new tensor on the batch's device.
  using Work = std::function<torch::Tensor(const Batch&)>;
  /// How often the work is done as it is before it is captured: libraries choose kernels and take
  /// memory in their first calls, and gradients are made in the first backward, all others add to
  /// them.
  static constexpr int kWarmUps = 3;

  StepGraph(Work work, GraphMaker make_graph)
      : work_(std::move(work)), make_graph_(std::move(make_graph)) {}

  /// What the work gives for this batch, a tensor of its own. may_capture: whether all that the
  /// work reads and writes stays in its place. Throws as the work and DeviceGraph do.
  torch::Tensor run(const Batch& batch, bool may_capture);
  /// Something else that the work depends on has changed: it is warmed up and captured again.
  void forget();
  bool captured() const noexcept { return captured_; }

 private:
  bool fits(const Batch& batch) const;
  void begin(const Batch& batch);

  Work work_;
  GraphMaker make_graph_;
  std::unique_ptr<DeviceGraph> graph_;
  Batch input_;           ///< where the graph reads; rows are not filled in
  torch::Tensor result_;  ///< where the graph writes
  int warm_ups_ = 0;
  bool captured_ = false;
};

}  // namespace letterpress
