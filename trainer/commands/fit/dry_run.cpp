#include "trainer/commands/fit/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/bytes_text.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/augment/resize.h"
#include "trainer/commands/bench_metrics.h"
#include "trainer/device/device.h"
#include "trainer/device/device_graph.h"
#include "trainer/device/memory_meter.h"
#include "trainer/fit/opening/open_training.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/opening/start_weights_of_run.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/rates/device_rate.h"
#include "trainer/fit/rates/step_rate.h"
#include "trainer/fit/step/picture_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/loader/batch_loader.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/loader/rates/loader_rate.h"

namespace letterpress {
namespace {

constexpr int kRuns = 3;
constexpr std::int64_t kLoadedRows = 512;  // of a pass of the loader

/// Options of the first of the ranks that the flags, or a launcher, start.
struct FirstRank {
  int ranks;
  FitOptions options;
};
FirstRank first_rank(const FitOptions& options) {
  RankAssignment assignment = rank_assignment(own_environment());
  const int devices = cuda_devices(), started = ranks_to_start(options, assignment, devices);
  if (started > 1)
    assignment = {.world_size = started, .local_world_size = started, .launcher = "--ranks"};
  return {assignment.world_size, options_of_rank(options, assignment, devices)};
}

/// A training's parts on the device, and what they take there.
class Trial {
 public:
  /// opened: by the first of `ranks` ranks, outlives it.
  Trial(const OpenedTraining& opened, int ranks)
      : options_(opened.run.options),
        device_(opened.device),
        meter_(device_),
        loading_(training_loading(options_, device_, 0, ranks)),
        operations_(batch_augmentations(options_.on_device)) {
    const Run& run = opened.run;
    const ModelStart& start = opened.start;
    const FitOptions& options = options_;
    const auto sides = side_range_of(options.multi_scale);
    side_ = sides ? std::max(start.graph.side, sides->high) : start.graph.side;
    auto sequence = training_sequence(run.pictures.train, {.global_batch = loading_.batch}, 0, 1);
    loader_ = std::make_unique<BatchLoader>(run.pictures.reader, std::move(sequence), 0, loading_);
    feed_ = std::make_unique<DeviceFeed>(*loader_, device_,
                                         arithmetic_type(options.precision, device_));
    batch_ = *feed_->next();
    batch_bytes_ = meter_.now();
    model_ = std::make_unique<RunModel>(start.graph, options, device_, [&](Network& network) {
      if (start.weights)
        load_some_weights(network, *start.weights, run.snapshot().classes, options.match);
    });
    // A run in two stages needs most in the second, when all layers train.
    if (!run.frozen_layers.empty() && options.freeze_epochs == 0)
      model_->network().freeze_layers(run.frozen_layers);
  }

  DryRun::Memory memory() {
    DryRun::Memory memory{.batch = batch_bytes_};
    for (const NamedTensor& tensor : parameters_and_statistics_of(model_->network()))
      memory.weights += static_cast<std::int64_t>(tensor.value.nbytes());
    take_step(*model_, batch_, timing());  // makes the moments
    const std::int64_t kept = meter_.now();
    memory.beside = std::max<std::int64_t>(0, kept - memory.weights - memory.batch);
    meter_.reset_peak();
    // Up to the first replay, whose intermediate results keep their memory.
    const int steps = replays_graph(options_, device_) ? CapturedWork::kWarmUps : 1;
    for (int i = 0; i < steps; ++i) take_step(*model_, batch_, timing());
    memory.activations = meter_.peak() - kept;
    return memory;
  }

  double pictures_per_s() { return time_steps(*model_, batch_, timing()).median; }
  int side() const { return side_; }
  const LoaderOptions& loading() const { return loading_; }
  const ReadChoice& reading() const { return loader_->read_choice(); }
  std::string device() const { return describe(device_); }
  GraphSize size() { return measure(model_->network().graph()); }

 private:
  /// As a training's step makes its input of a batch, at the largest side.
  StepTiming timing() const {
    const auto input = [this](const Batch& batch) {
      return resized(
          augment(operations_, batch, {.seed = options_.seed, .augmented = batch.images.size(0)}),
          side_);
    };
    return {.input = input,
            .parts = options_.accumulate,
            .runs = kRuns,
            .steps_per_look = steps_per_look(device_)};
  }

  const FitOptions& options_;
  torch::Device device_;
  MemoryMeter meter_;
  LoaderOptions loading_;
  std::unique_ptr<BatchLoader> loader_;
  std::unique_ptr<DeviceFeed> feed_;
  Batch batch_;
  std::int64_t batch_bytes_ = 0;
  std::vector<const BatchAugmentation*> operations_;
  int side_ = 0;
  std::unique_ptr<RunModel> model_;
};

std::string size_text(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

}  // namespace

DryRun dry_run(const FitOptions& options, const std::function<void(const std::string&)>& stage) {
  validate_but_out(options);
  if (!options.out.empty()) check_outside(options.out, options.store);
  const auto [ranks, own] = first_rank(options);
  const OpenedTraining opened = open_training(own, [](const std::string&) {});
  const SnapshotReader& reader = opened.run.pictures.reader;
  const FitOptions& applied = opened.run.options;
  require_rows(applied, ranks);
  const int side = reader.snapshot().identity.side;
  DryRun run{.model = applied.model,
             .precision = applied.precision,
             .ranks = ranks,
             .batch = applied.batch,
             .parts = applied.accumulate,
             .pictures = opened.run.plan.samples,
             .epochs = applied.epochs,
             .row_bytes = 3.0 * side * side};
  LoaderOptions loading;
  stage("training steps of " + options.model);
  {
    Trial trial(opened, ranks);
    run.side = trial.side();
    run.device = trial.device();
    run.parameters = trial.size().parameters;
    run.memory = trial.memory();
    run.pictures_per_s = ranks * trial.pictures_per_s();
    loading = trial.loading();
    run.reading = to_string(trial.reading());
    run.supply.from_disk = trial.reading().from_disk;
  }
  const LoaderTrial trial = make_trial(
      reader, opened.run.pictures.train,
      {.rows = kLoadedRows, .loading = loading, .window = window_of(options.order), .runs = kRuns});
  stage("how fast rows are read");
  if (const ReadSetting setting = examine_reading(reader, false); setting.is_memory) {
    run.not_cold = setting.file_system;
  } else {
    run.supply.cold = cold_rate(trial).median;
  }
  run.supply.warm = warm_rate(trial).median;
  if (opened.device.is_cuda())
    run.supply.bus = ranks * measure_device_rate(trial, opened.device).bus.median;
  run.verdict = limiter(run.pictures_per_s, run.supply);
  return run;
}

void print(const DryRun& run, std::ostream& out) {
  const DryRun::Memory& memory = run.memory;
  const auto gigabytes = [&](double rate) { return rate * run.row_bytes / 1e9; };
  const std::string cold =
      run.supply.cold ? fmt::format(", {:.2f} GB/s from the disk", gigabytes(*run.supply.cold))
                      : fmt::format("; {} is not a disk", run.not_cold);
  const double epoch_s = static_cast<double>(run.pictures) / run.pictures_per_s;
  out << fmt::format(
             "model    {}: {} parameters; {}, {}; {} rank{}, batches of {} in {} part{}, side {}\n",
             run.model, run.parameters, run.device, run.precision, run.ranks,
             run.ranks == 1 ? "" : "s", run.batch, run.parts, run.parts == 1 ? "" : "s", run.side)
      << fmt::format(
             "memory   {} at most on each device: weights {}, optimiser and EMA {}, batch {}, "
             "a step {}\n",
             size_text(memory.peak()), size_text(memory.weights), size_text(memory.beside),
             size_text(memory.batch), size_text(memory.activations))
      << fmt::format(
             "steps    {:.1f} pictures/s; an epoch of {} pictures {}, {} epochs {}, without "
             "validation\n",
             run.pictures_per_s, run.pictures, duration_text(epoch_s), run.epochs,
             duration_text(run.epochs * epoch_s))
      << fmt::format("loader   needed {:.4f} GB/s; delivered {:.2f} GB/s from memory{}\n",
                     gigabytes(run.pictures_per_s), gigabytes(run.supply.warm), cold)
      << "reading  " << run.reading << "\nlimit    " << run.verdict << "\nnothing was written\n";
}

nlohmann::json json_of(const DryRun& run) {
  nlohmann::json loader{{"warm_per_s", run.supply.warm}, {"reading", run.reading}};
  if (run.supply.cold) loader["cold_per_s"] = *run.supply.cold;
  if (run.supply.bus) loader["bus_per_s"] = *run.supply.bus;
  if (!run.not_cold.empty()) loader["not_cold"] = run.not_cold;
  return {{"dry_run", true},
          {"model", run.model},
          {"device", run.device},
          {"precision", run.precision},
          {"ranks", run.ranks},
          {"batch", run.batch},
          {"parts", run.parts},
          {"side", run.side},
          {"parameters", run.parameters},
          {"memory",
           {{"weights", run.memory.weights},
            {"beside", run.memory.beside},
            {"batch", run.memory.batch},
            {"activations", run.memory.activations},
            {"peak", run.memory.peak()}}},
          {"pictures_per_s", run.pictures_per_s},
          {"pictures", run.pictures},
          {"need_gb_per_s", run.pictures_per_s * run.row_bytes / 1e9},
          {"loader", std::move(loader)},
          {"verdict", run.verdict}};
}

}  // namespace letterpress
