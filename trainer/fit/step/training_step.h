#pragma once
#include <torch/types.h>

#include <memory>
#include <vector>

#include "trainer/batch.h"
#include "trainer/fit/step/step_graph.h"
#include "trainer/losses/loss.h"
#include "trainer/network/network.h"
#include "trainer/optimisers/ema.h"
#include "trainer/optimisers/gradient_scaler.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/parallel/gradient_all_reduce.h"

namespace letterpress {

/// Parameters and, as one tensor "statistics", all running statistics: the network's own tensors.
std::vector<NamedTensor> parameters_and_statistics_of(const Network& network);

/// One optimiser step: accumulate() for each micro-batch, then update(). Gradients of the summed
/// loss are added up and multiplied once by 1 / summed normaliser (1 at least), over micro-batches
/// and ranks, so that they and one batch agree. Nothing in it waits for the device. Running
/// statistics become the mean of the ranks' own, weighted by their pictures.
///
/// With `graphs` a micro-batch, forward to backward, is captured after the first few and replayed
/// from then on, until shapes, frozen layers or the norms' momentum change, after which it is
/// captured again. Clipping, update and averages are not captured: their learning rate and decay
/// are the host's numbers.
class TrainingStep {
 public:
  struct Parts {
    Network& network;
    const Loss& loss;
    Optimiser& optimiser;
    WeightEma* ema = nullptr;           ///< may be null
    torch::Dtype type = torch::kFloat;  ///< autocast of the forward pass
    GradientScaler* scaler = nullptr;   ///< of float16; else null
    RankGroup* group = nullptr;         ///< the ranks that share the step; null: there is one
    double share = 1;                   ///< of the step's pictures, that is this rank's
    GraphMaker graphs{};                ///< where there is one rank; empty: nothing is captured
  };
  explicit TrainingStep(const Parts& parts);
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  /// is_last: of the step's micro-batches, the same on every rank; one rank alone may leave it out.
  void accumulate(const Batch& batch, bool is_last = true);
  /// float [terms + 2] on the device: the loss terms summed over the step's micro-batches and
  /// ranks, then the normaliser, 1 at least, then how many objects the pictures have, less than 0
  /// when none of them became a target. Clears the gradients.
  torch::Tensor update(double lr);
  /// Whether the last micro-batch was a replay.
  bool replays() const { return graph_ && graph_->captured(); }

 private:
  /// Of a micro-batch.
  struct Sums {
    torch::Tensor loss;    ///< what is differentiated
    torch::Tensor totals;  ///< float [terms + 2]: the loss terms, the normaliser, the objects
  };
  Sums forward(const Batch& batch) const;
  torch::Tensor replay(const Batch& batch);
  void start_sums();
  void finish_sums();

  Parts parts_;
  torch::Tensor totals_;
  std::unique_ptr<GradientAllReduce> gradients_;  ///< null for one rank
  torch::Tensor statistics_before_,
      sums_;  ///< sums_: totals, then what the ranks would change the statistics by
  RankGroup::Wait sums_ready_;
  std::unique_ptr<StepGraph> graph_;  ///< null: nothing is captured
  std::vector<bool> frozen_;          ///< layers, as they were captured
  double norm_momentum_ = 0;          ///< likewise
};

}  // namespace letterpress
