#include "trainer/fit/run_model.h"

#include "letterpress/base/error.h"
#include "trainer/fit/part_options.h"

namespace letterpress {

RunModel::RunModel(const Graph& graph, const FitOptions& options, torch::Device device, const Checkpoint* init)
    : options_(options), network_(graph), loss_(make_loss(graph)) {
  network_.initialise(options.seed);
  if (init) not_taken_over_ = load_matching_weights(network_, init->tensors);
  network_.to(device);
  network_.use_channels_last();
  network_.train();
  optimiser_ = make_optimiser(optimiser_options(options), parameters_of(network_));
  make_average(0);
}

void RunModel::make_average(std::int64_t updates) {
  if (options_.ema > 0) {
    average_ = std::make_unique<WeightAverage>(parameters_and_statistics_of(network_), average_options(options_), updates);
  }
  step_ = std::make_unique<TrainingStep>(TrainingStep::Parts{network_, *loss_, *optimiser_, average_.get(), options_.precision == "bf16"});
}

void RunModel::resume(const Checkpoint& checkpoint) {
  load_weights(network_, checkpoint);
  make_average(checkpoint.info.step);
  load_training_weights(network_, checkpoint);
  optimiser_->load_state(checkpoint.tensors);
}

std::int64_t RunModel::skipped_steps() const { return optimiser_->skipped().item<std::int64_t>(); }

std::map<std::string, torch::Tensor> RunModel::tensors(bool for_training) {
  std::map<std::string, torch::Tensor> tensors = with_weights_to_use([&] { return collect_weights(network_); });
  if (!for_training) return tensors;
  if (average_) {
    for (auto& [name, tensor] : collect_weights(network_)) tensors.emplace("train." + name, tensor);
  }
  for (const auto& [name, tensor] : optimiser_->state()) tensors.emplace(name, tensor);
  return tensors;
}

}  // namespace letterpress
