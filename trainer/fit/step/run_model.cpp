#include "trainer/fit/step/run_model.h"

#include "letterpress/base/error.h"
#include "trainer/device/cuda_graph.h"
#include "trainer/device/device.h"
#include "trainer/fit/opening/start_weights_of_run.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/parallel/sync_batch_norm.h"

namespace letterpress {

namespace {

std::vector<torch::Tensor> values_of(const std::vector<NamedTensor>& named) {
  std::vector<torch::Tensor> values;
  for (const NamedTensor& tensor : named) values.push_back(tensor.value);
  return values;
}

}  // namespace

RunModel::RunModel(const Graph& graph, const FitOptions& options, torch::Device device,
                   const std::function<void(Network&)>& start)
    : options_(options),
      device_(device),
      type_(arithmetic_type(options.precision, device)),
      graphs_(replays_graph(options, device) ? cuda_graphs(device) : GraphMaker()),
      network_(graph),
      loss_(make_loss(graph, loss_options(options))) {
  network_.initialise(options.seed);
  if (start) start(network_);
  network_.to(device);
  network_.use_channels_last();
  network_.train();
  if (options.group && options.sync_batch_norm) {
    network_.set_training_norm(
        [group = options.group](const torch::Tensor& x, const NormTensors& norm) {
          return sync_batch_norm(*group, x, norm);
        });
  }
  if (options.group)
    options.group->broadcast_in_place(values_of(parameters_and_statistics_of(network_)));
  optimiser_ = make_optimiser(optimiser_options(options), network_.parameters());
  if (type_ == torch::kHalf) scaler_ = std::make_unique<GradientScaler>(device);
  make_ema(0);
}

void RunModel::make_ema(std::int64_t updates) {
  if (options_.ema > 0) {
    ema_ = std::make_unique<WeightEma>(parameters_and_statistics_of(network_),
                                       ema_options(options_), updates);
  }
  const auto rows =
      static_cast<double>(rows_of_rank(options_.batch, rank_of(options_), world_size_of(options_)));
  step_ = std::make_unique<TrainingStep>(TrainingStep::Parts{.network = network_,
                                                             .loss = *loss_,
                                                             .optimiser = *optimiser_,
                                                             .ema = ema_.get(),
                                                             .type = type_,
                                                             .scaler = scaler_.get(),
                                                             .group = options_.group,
                                                             .share = rows / options_.batch,
                                                             .graphs = graphs_});
}

void RunModel::resume(const Checkpoint& checkpoint) {
  load_weights(network_, checkpoint);
  make_ema(checkpoint.info.step);
  load_training_weights(network_, checkpoint);
  optimiser_->load_state(checkpoint.tensors);
  if (scaler_) scaler_->load_state(checkpoint.tensors);
}

std::int64_t RunModel::skipped_steps() const { return optimiser_->skipped().item<std::int64_t>(); }

std::map<std::string, torch::Tensor> RunModel::tensors(bool for_training) {
  std::map<std::string, torch::Tensor> tensors =
      with_weights_to_use([&] { return collect_weights(network_); });
  if (!for_training) return tensors;
  if (ema_) {
    for (auto& [name, tensor] : collect_weights(network_)) tensors.emplace("train." + name, tensor);
  }
  for (const auto& [name, tensor] : optimiser_->state()) tensors.emplace(name, tensor);
  if (scaler_) tensors.merge(scaler_->state());
  return tensors;
}

std::unique_ptr<RunModel> start_model(const Run& run, ModelStart start, torch::Device device,
                                      const Note& note) {
  const FitOptions& options = run.options;
  auto model = std::make_unique<RunModel>(start.graph, options, device, [&](Network& network) {
    if (!start.weights) return;
    const std::vector<std::string>& classes = run.snapshot().classes;
    note(write_weight_table(load_some_weights(network, *start.weights, classes, options.match),
                            *start.weights, start.graph, classes, options.out));
  });
  if (start.resumed) model->resume(*start.resumed);
  const GraphSize size = measure(start.graph);
  note("model " + start.graph.model + ": " + std::to_string(size.parameters) + " parameters, " +
       c10::str(size.gflops) + " GFLOPs; " + describe(device) + ", " + options.precision +
       (options.group ? ", one of " + std::to_string(options.group->world_size()) + " ranks (" +
                            options.group->assignment().launcher + ")"
                      : ""));
  return model;
}

}  // namespace letterpress
