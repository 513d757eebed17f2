#include "trainer/commands/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"
#include "trainer/augment/batch_augmentation.h"
#include "trainer/augment/resize.h"
#include "trainer/commands/bench_metrics.h"
#include "trainer/device/device.h"
#include "trainer/device/memory_meter.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/model_checks.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/open_store.h"
#include "trainer/fit/opening/run_state.h"
#include "trainer/fit/opening/start_weights_of_run.h"
#include "trainer/fit/options/class_weights.h"
#include "trainer/fit/options/monitor.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/rates/device_rate.h"
#include "trainer/fit/rates/step_rate.h"
#include "trainer/fit/step/device_feed.h"
#include "trainer/fit/step/run_model.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/loader/loader_rate.h"
#include "trainer/network/freeze.h"

namespace letterpress {
namespace {

constexpr int kRuns = 3;
constexpr std::int64_t kLoadedRows = 512;  // of a pass of the loader

/// Options of the first of the ranks that the flags, or a launcher, start.
struct RankOptions {
  int ranks;
  FitOptions own;
};
RankOptions first_rank(const FitOptions& options) {
  RankAssignment assignment = rank_assignment([](const char* name) { return std::getenv(name); });
  const int devices = cuda_devices(), started = ranks_to_start(options, assignment, devices);
  if (started > 1)
    assignment = {.world_size = started, .local_world_size = started, .launcher = "--ranks"};
  return {assignment.world_size, options_of_rank(options, assignment, devices)};
}

/// What a training opens before it begins, and its refusals; nothing is written.
struct Opened {
  std::optional<Checkpoint> resumed;
  Store store;
  SnapshotReader reader;
  std::vector<PictureRows> pictures, val;
  std::int64_t samples = 0;  ///< of an epoch

  explicit Opened(const FitOptions& options)
      : resumed(options.out.empty() ? std::nullopt : resumed_checkpoint(options)),
        store(Store::open(options.store)),
        reader(store, choose_snapshot(store, options.snapshot, resumed ? &resumed->info : nullptr)),
        pictures(pictures_of(reader, options.split, "split")),
        val(val_pictures_of(reader, options.val_split)) {
    std::int64_t known = resumed ? run_state_from_json(resumed->info.state_json).known : 0;
    if (!resumed && options.replay < 1 && !options.init.empty())
      known = snapshot_of_init(options, store);
    if (pictures.empty())
      throw Error(options.store.string() + ": split '" + options.split + "' holds no picture",
                  Exit::no_input);
    const std::int64_t replayed =
        options.replay < 1 && known > 0 ? put_known_last(pictures, store, reader, known) : 0;
    samples = samples_of_epoch(static_cast<std::int64_t>(pictures.size()),
                               {.replayed = replayed, .replay = options.replay});
  }

  /// Of the run that goes on, or of a new one.
  Graph graph(const FitOptions& options, const std::optional<StartWeights>& start) const {
    if (resumed) {
      const std::string last = (options.out / "last.safetensors").string();
      check_fits(resumed->info, reader.snapshot(), last);
      check_resumable(options, resumed->info.configuration_json, last);
      return resumed->info.graph;
    }
    check_labels(
        make_graph(options.model, reader.snapshot(), {.published = true}, options.input_size),
        reader.snapshot(), options.store.string());
    const Graph* init = start && !options.init.empty() ? &start->graph : nullptr;
    return make_graph(options.model, reader.snapshot(),
                      choose_anchors(options.anchors, options.model, reader, pictures, init),
                      options.input_size);
  }
};

/// A training's parts on the device, and what they take there.
class Trial {
 public:
  Trial(const Opened& opened, const FitOptions& options, int ranks)
      : options_(options),
        device_(choose_device(options.device)),
        meter_(device_),
        operations_(batch_augmentations(options.on_device)) {
    const SnapshotReader& reader = opened.reader;
    const std::optional<StartWeights> start =
        opened.resumed ? std::nullopt : start_weights(options);
    const Graph graph = opened.graph(options, start);
    check_fits_model(options, graph);
    choose_monitor(options, !opened.val.empty(), is_classifier(graph));
    const std::set<std::string> frozen = layers_to_freeze(graph, options.freeze);
    const auto sides = side_range_of(options.multi_scale);
    side_ = sides ? std::max(graph.side, sides->high) : graph.side;
    loading_ = training_loading(options, device_, 0, ranks);
    const std::int64_t before = meter_.now();  // start weights, which the network copies
    auto sequence = training_sequence(opened.pictures, {.global_batch = loading_.batch}, 0, 1);
    loader_ = std::make_unique<BatchLoader>(reader, std::move(sequence), 0, loading_);
    feed_ = std::make_unique<DeviceFeed>(*loader_, device_,
                                         arithmetic_type(options.precision, device_));
    batch_ = *feed_->next();
    batch_bytes_ = meter_.now() - before;
    model_ = std::make_unique<RunModel>(graph, options, device_, [&](Network& network) {
      if (start) take_start_weights(network, *start, reader.snapshot().classes, options);
    });
    // A run in two stages needs most in the second, when all layers train.
    if (!frozen.empty() && options.freeze_epochs == 0) model_->network().freeze_layers(frozen);
  }

  DryRun::Memory memory() {
    DryRun::Memory memory{.batch = batch_bytes_};
    for (const NamedTensor& tensor : parameters_and_statistics_of(model_->network()))
      memory.weights += static_cast<std::int64_t>(tensor.value.nbytes());
    take_step(*model_, batch_, timing());  // makes the moments
    const std::int64_t kept = meter_.now();
    memory.beside = std::max<std::int64_t>(0, kept - memory.weights - memory.batch);
    meter_.reset_peak();
    take_step(*model_, batch_, timing());
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
    return {.input = input, .parts = options_.accumulate, .runs = kRuns};
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

DryRun dry_run(FitOptions options, const std::function<void(const std::string&)>& stage) {
  const std::filesystem::path out = options.out;
  if (options.out.empty()) options.out = ".";
  validate(options);
  options.out = out;
  if (!out.empty()) check_outside(out, options.store);
  const Opened opened(options);
  const SnapshotReader& reader = opened.reader;
  const std::vector<PictureRows>& pictures = opened.pictures;
  // What the run was begun with stays when it took up fewer pictures since.
  const std::int64_t begun =
      opened.resumed
          ? with_begun(options, opened.resumed->info.configuration_json, {}, out.string()).batch
          : 0;
  limit_batch(std::max(begun, static_cast<std::int64_t>(pictures.size())), options);
  options.class_weights = with_counted_weights(options.class_weights, reader.snapshot());
  const auto [ranks, own] = first_rank(options);
  set_up_arithmetic(choose_device(own.device), own.threads, own.deterministic);
  const int side = reader.snapshot().identity.side;
  DryRun run{.model = options.model,
             .precision = options.precision,
             .ranks = ranks,
             .batch = options.batch,
             .parts = options.accumulate,
             .pictures = opened.samples,
             .epochs = options.epochs,
             .row_bytes = 3.0 * side * side};
  LoaderOptions loading;
  stage("training steps of " + options.model);
  {
    Trial trial(opened, own, ranks);
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
      reader, pictures,
      {.rows = kLoadedRows, .loading = loading, .window = window_of(options.order), .runs = kRuns});
  stage("how fast rows are read");
  if (const ReadSetting setting = examine_reading(reader, false); setting.is_memory) {
    run.not_cold = setting.file_system;
  } else {
    run.supply.cold = cold_rate(trial).median;
  }
  run.supply.warm = warm_rate(trial).median;
  if (const torch::Device device = choose_device(own.device); device.is_cuda())
    run.supply.bus = ranks * measure_device_rate(trial, device).bus.median;
  run.verdict = limiter(run.pictures_per_s, run.supply);
  return run;
}

void print(const DryRun& run, std::ostream& out) {
  const DryRun::Memory& memory = run.memory;
  const auto gigabytes = [&](double rate) { return rate * run.row_bytes / 1e9; };
  const std::string cold =
      run.supply.cold ? fmt::format(", {:.2f} GB/s from the disk", gigabytes(*run.supply.cold))
                      : fmt::format("; {} is no disk", run.not_cold);
  const double epoch_s = static_cast<double>(run.pictures) / run.pictures_per_s;
  out << fmt::format(
             "model    {}: {} parameters; {}, {}; {} rank{}, batches of {} in {} part{}, side {}\n",
             run.model, run.parameters, run.device, run.precision, run.ranks,
             run.ranks == 1 ? "" : "s", run.batch, run.parts, run.parts == 1 ? "" : "s", run.side)
      << fmt::format(
             "memory   {} at most on each device: weights {}, optimiser and averages {}, batch {}, "
             "a step {}\n",
             size_text(memory.peak()), size_text(memory.weights), size_text(memory.beside),
             size_text(memory.batch), size_text(memory.activations))
      << fmt::format(
             "steps    {:.1f} pictures/s; an epoch of {} pictures {}, {} epochs {}, without "
             "validation\n",
             run.pictures_per_s, run.pictures, duration_text(epoch_s), run.epochs,
             duration_text(run.epochs * epoch_s))
      << fmt::format("loader   wanted {:.4f} GB/s; gives {:.2f} GB/s from memory{}\n",
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
