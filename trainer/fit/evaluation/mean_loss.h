#pragma once
#include <optional>
#include <vector>

#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/losses/loss.h"

namespace letterpress {

/// The loss of many batches as training has it: all terms over the normaliser, the network in eval
/// mode. Nothing waits for the device before it is asked for.
class MeanLoss {
 public:
  /// side: of the network's pictures. loss outlives it.
  MeanLoss(const Loss& loss, int side, torch::Device device);
  /// Adds a batch's. It outlives the work.
  BatchWork work();
  /// Of all ranks' batches on each; null: there are none. Collective.
  double per_picture(RankGroup* group);

 private:
  const Loss& loss_;
  int side_;
  torch::Tensor totals_;  ///< float64 [2] on the device: sum, normaliser
};

/// The loss of these rows. Nothing: stopped. This process does all, without ranks.
std::optional<double> mean_loss(Network& network, const Loss& loss, const SnapshotReader& reader,
                                const std::vector<RowPlace>& rows, const EvaluateOptions& options);

}  // namespace letterpress
