#include "trainer/fit/step/training_step.h"

#include <cassert>

#include "trainer/device/device.h"
#include "trainer/losses/ground_truths.h"

namespace letterpress {
namespace {

constexpr double kLeastNormaliser = 1;  // of batches without, or with hardly, anything to find

}  // namespace

std::vector<NamedTensor> parameters_and_statistics_of(const Network& network) {
  std::vector<NamedTensor> tensors = network.parameters();
  // One flat tensor stands for all statistics, which are views of it.
  if (network.statistics().numel() > 0) tensors.push_back({"statistics", network.statistics()});
  return tensors;
}

TrainingStep::TrainingStep(const Parts& parts) : parts_(parts) {
  parts_.optimiser.clear_gradients();
  if (parts_.group)
    gradients_ = std::make_unique<GradientAllReduce>(*parts_.group, parts_.network.parameters());
  if (!parts_.graphs) return;
  assert(!parts_.group);
  const auto work = [this](const Batch& batch) {
    const Sums sums = forward(batch);
    sums.loss.backward();
    return sums.totals;
  };
  graph_ = std::make_unique<StepGraph>(work, parts_.graphs);
}

void TrainingStep::accumulate(const Batch& batch, bool is_last) {
  if (graph_) {
    const torch::Tensor totals = replay(batch);
    totals_ = totals_.defined() ? totals_ + totals : totals;
    return;
  }
  if (gradients_ && !statistics_before_.defined())
    statistics_before_ = parts_.network.statistics().clone();
  const Sums sums = forward(batch);
  totals_ = totals_.defined() ? totals_ + sums.totals : sums.totals;
  if (gradients_ && is_last) start_sums();
  sums.loss.backward();
}

TrainingStep::Sums TrainingStep::forward(const Batch& batch) const {
  std::vector<torch::Tensor> outputs;
  {
    const Autocast autocast(batch.images.device(), parts_.type);
    outputs = parts_.network.forward(batch.images);
  }
  const LossValue value = parts_.loss(outputs, batch);
  std::vector<torch::Tensor> totals = value.terms;
  totals.push_back(value.normaliser);
  totals.push_back(ground_truths_of(batch).objects.sum().to(value.normaliser.scalar_type()));
  return {parts_.scaler ? value.sum * parts_.scaler->scale() : value.sum, torch::stack(totals)};
}

// Gradients stay where they lie once a step has made them and the optimiser has put them into its
// layout, so a step's first micro-batch is the place to capture.
torch::Tensor TrainingStep::replay(const Batch& batch) {
  const bool first = !totals_.defined();
  const double momentum = parts_.network.least_norm_momentum();
  if (first && (frozen_ != parts_.network.frozen() || norm_momentum_ != momentum)) {
    frozen_ = parts_.network.frozen();
    norm_momentum_ = momentum;
    parts_.optimiser
        .clear_gradients();  // zeros of a layer that no longer trains would still be applied
    graph_->forget();
  }
  return graph_->run(batch, first);
}

void TrainingStep::start_sums() {
  const torch::Tensor change = (parts_.network.statistics() - statistics_before_) * parts_.share;
  sums_ = torch::cat({totals_, change.to(totals_.scalar_type())});
  sums_ready_ = parts_.group->start_all_reduce(sums_);
  gradients_->begin();
}

// By changes, so that statistics which no rank changed, frozen ones, keep every bit.
void TrainingStep::finish_sums() {
  gradients_->finish();
  std::exchange(sums_ready_, nullptr)();
  const std::int64_t n = totals_.size(0);
  totals_ = sums_.narrow(0, 0, n);
  parts_.network.statistics().copy_(std::exchange(statistics_before_, {}) +
                                    sums_.narrow(0, n, sums_.size(0) - n));
}

torch::Tensor TrainingStep::update(double lr) {
  if (gradients_) finish_sums();
  const torch::Tensor totals = std::exchange(totals_, {});
  torch::Tensor normaliser = totals.select(0, totals.size(0) - 2),
                objects = totals.select(0, totals.size(0) - 1);
  objects.copy_(torch::where(normaliser > 0, objects, -objects));
  normaliser.clamp_min_(kLeastNormaliser);
  const torch::Tensor factor = normaliser.reciprocal();
  const torch::Tensor norm =
      parts_.optimiser.step(lr, parts_.scaler ? factor / parts_.scaler->scale() : factor);
  if (parts_.scaler) parts_.scaler->update(norm);
  graph_ ? parts_.optimiser.zero_gradients() : parts_.optimiser.clear_gradients();
  if (parts_.ema) parts_.ema->update();
  return totals;
}

}  // namespace letterpress
