#pragma once
#include <torch/torch.h>

#include <vector>

#include "trainer/batch.h"
#include "trainer/losses/loss.h"
#include "trainer/network/network.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/optimisers/weight_average.h"

namespace letterpress {

/// Parameters and, under "<layer>.norm.mean", ".norm.var", statistics: the network's own tensors, by name.
std::vector<NamedTensor> parameters_of(const Network& network);
std::vector<NamedTensor> parameters_and_statistics_of(const Network& network);

/// One optimiser step: accumulate() for each micro-batch, then update(). Gradients of the summed loss are added up and multiplied once by 1
/// / summed normaliser, so that micro-batches and one batch agree. Nothing in it waits for the device.
class TrainingStep {
 public:
  struct Parts {
    Network& network;
    const Loss& loss;
    Optimiser& optimiser;
    WeightAverage* average = nullptr;  ///< may be null
    bool bf16 = false;                 ///< autocast of the forward pass
  };
  explicit TrainingStep(const Parts& parts);

  void accumulate(const Batch& batch);
  /// float32 [terms + 1] on the device: the loss terms summed over the step's micro-batches, then the normaliser. Clears the gradients.
  torch::Tensor update(double lr);

 private:
  Parts parts_;
  torch::Tensor totals_;
};

}  // namespace letterpress
