#include "trainer/fit/training_step.h"

#include "trainer/device/device.h"

namespace letterpress {

std::vector<NamedTensor> parameters_of(const Network& network) {
  std::vector<NamedTensor> tensors;
  for (const auto& named : network.named_parameters()) tensors.push_back({named.key(), named.value()});
  return tensors;
}

std::vector<NamedTensor> parameters_and_statistics_of(const Network& network) {
  std::vector<NamedTensor> tensors = parameters_of(network);
  // One flat tensor stands for all statistics, which are views of it.
  if (network.statistics().numel() > 0) tensors.push_back({"statistics", network.statistics()});
  return tensors;
}

TrainingStep::TrainingStep(const Parts& parts) : parts_(parts) { parts_.optimiser.clear_gradients(); }

void TrainingStep::accumulate(const Batch& batch) {
  std::vector<torch::Tensor> outputs;
  {
    const Autocast autocast(batch.images.device(), parts_.bf16);
    outputs = parts_.network.forward(batch.images);
  }
  const LossValue value = parts_.loss(outputs, batch);
  outputs.clear();
  value.sum.backward();
  std::vector<torch::Tensor> sums = value.terms;
  sums.push_back(value.normaliser);
  const torch::Tensor totals = torch::stack(sums).to(torch::kFloat);
  totals_ = totals_.defined() ? totals_ + totals : totals;
}

torch::Tensor TrainingStep::update(double lr) {
  const torch::Tensor totals = std::exchange(totals_, {});
  parts_.optimiser.step(lr, totals[totals.size(0) - 1].reciprocal());
  parts_.optimiser.clear_gradients();
  if (parts_.average) parts_.average->update();
  return totals;
}

}  // namespace letterpress
