#include "trainer/fit/training_step.h"

#include "trainer/device/device.h"

namespace letterpress {
namespace {

constexpr double kLeastNormaliser = 1;  // of batches without, or with hardly, anything to find

}  // namespace

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

TrainingStep::TrainingStep(const Parts& parts) : parts_(parts) {
  parts_.optimiser.clear_gradients();
  if (parts_.group) gradients_ = std::make_unique<GradientSum>(*parts_.group, parts_.network);
}

void TrainingStep::accumulate(const Batch& batch, bool is_last) {
  if (gradients_ && !statistics_before_.defined()) statistics_before_ = parts_.network.statistics().clone();
  std::vector<torch::Tensor> outputs;
  {
    const Autocast autocast(batch.images.device(), parts_.type);
    outputs = parts_.network.forward(batch.images);
  }
  const LossValue value = parts_.loss(outputs, batch);
  outputs.clear();
  std::vector<torch::Tensor> sums = value.terms;
  sums.push_back(value.normaliser);
  const torch::Tensor totals = torch::stack(sums);
  totals_ = totals_.defined() ? totals_ + totals : totals;
  if (gradients_ && is_last) start_sums();
  (parts_.scaler ? value.sum * parts_.scaler->scale() : value.sum).backward();
}

void TrainingStep::start_sums() {
  const torch::Tensor change = (parts_.network.statistics() - statistics_before_) * parts_.share;
  sums_ = torch::cat({totals_, change.to(totals_.scalar_type())});
  sums_ready_ = parts_.group->start_sum(sums_);
  gradients_->begin();
}

// By changes, so that statistics which no rank changed, frozen ones, keep every bit.
void TrainingStep::finish_sums() {
  gradients_->finish();
  std::exchange(sums_ready_, nullptr)();
  const std::int64_t n = totals_.size(0);
  totals_ = sums_.narrow(0, 0, n);
  parts_.network.statistics().copy_(std::exchange(statistics_before_, {}) + sums_.narrow(0, n, sums_.size(0) - n));
}

torch::Tensor TrainingStep::update(double lr) {
  if (gradients_) finish_sums();
  const torch::Tensor totals = std::exchange(totals_, {});
  const torch::Tensor normaliser = totals.select(0, totals.size(0) - 1).clamp_min_(kLeastNormaliser);
  const torch::Tensor factor = normaliser.reciprocal();
  const torch::Tensor norm = parts_.optimiser.step(lr, parts_.scaler ? factor / parts_.scaler->scale() : factor);
  if (parts_.scaler) parts_.scaler->update(norm);
  parts_.optimiser.clear_gradients();
  if (parts_.average) parts_.average->update();
  return totals;
}

}  // namespace letterpress
