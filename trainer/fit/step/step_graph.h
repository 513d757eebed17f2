#pragma once
#include <torch/types.h>

#include <functional>
#include <optional>
#include <utility>

#include "trainer/batch.h"
#include "trainer/device/device_graph.h"

namespace letterpress {

/// Does the same work with one batch after another: a few times as it is, then as replays of a
/// graph that was captured once. Batches are copied to where the graph reads them. A batch of other
/// shapes begins anew. One thread.
class StepGraph {
 public:
  /// What is done with a batch, as DeviceGraph has it. Result: a new tensor on the batch's device.
  using Work = std::function<torch::Tensor(const Batch&)>;
  StepGraph(Work work, GraphMaker make_graph)
      : work_(std::move(work)), make_graph_(std::move(make_graph)) {}

  /// What the work gives for this batch, a tensor of its own. may_capture: whether all that the
  /// work reads and writes stays in its place. Throws as the work and DeviceGraph do.
  torch::Tensor run(const Batch& batch, bool may_capture);
  /// Something else that the work depends on has changed: it is warmed up and captured again.
  void forget();
  bool captured() const noexcept { return steps_ && steps_->captured(); }

 private:
  bool fits(const Batch& batch) const;
  void begin(const Batch& batch);

  Work work_;
  GraphMaker make_graph_;
  Batch input_;           ///< where the graph reads; rows are not filled in
  torch::Tensor result_;  ///< where the graph writes
  std::optional<CapturedWork> steps_;
};

}  // namespace letterpress
