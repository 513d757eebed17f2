#include "trainer/fit/opening/open_training.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/machine/memory.h"
#include "trainer/device/device.h"
#include "trainer/fit/opening/checkpoint_space.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/model_for_store.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/opening/rank_agreement.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/opening/start_weights_of_run.h"
#include "trainer/fit/opening/step_memory.h"
#include "trainer/fit/options/class_weights.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/idle_flags.h"
#include "trainer/fit/options/multi_scale.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/network/freeze.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

std::string last_checkpoint(const FitOptions& options) {
  return (options.out / "last.safetensors").string();
}

Snapshot agreed_snapshot(const Store& store, const FitOptions& options,
                         const CheckpointInfo* resumed) {
  std::optional<Snapshot> chosen;
  const std::int64_t generation = agreed_generation(options, [&] {
    chosen = choose_snapshot(store, options.snapshot, resumed);
    return chosen->generation;
  });
  return chosen ? *std::move(chosen) : store.snapshot(generation);
}

Run open_run_of(const FitOptions& options, const CheckpointInfo* resumed) {
  RunState done = resumed ? run_state_from_json(resumed->state_json) : RunState{};
  Store store = Store::open(options.store);
  Snapshot snapshot = agreed_snapshot(store, options, resumed);
  if (!resumed && options.replay < 1 && !options.init.empty())
    done.known = snapshot_of_init(options, store);
  RunPictures pictures = open_pictures(store, std::move(snapshot), options, done.known);
  return {.options = options,
          .store = std::move(store),
          .pictures = std::move(pictures),
          .done = std::move(done),
          .metrics = resumed ? metrics_named(resumed->metrics) : std::nullopt};
}

void check_has_backgrounds(const RunPictures& pictures, const FitOptions& options) {
  if (options.hard_negatives == 0 || !pictures.repeated.backgrounds.empty()) return;
  throw Error({.where = "--hard-negatives",
               .what = "all " + std::to_string(pictures.train.size()) + " pictures of split '" +
                       options.split + "' have objects",
               .fix = "leave it out, or add pictures without any"},
              Exit::configuration);
}

void note_pictures(const Run& run, const Note& note) {
  const FitOptions& options = run.options;
  const Snapshot& snapshot = run.snapshot();
  const RunPictures& pictures = run.pictures;
  const std::string val_split = options.val_split.empty() ? kDefaultValSplit : options.val_split;
  note("store " + options.store.string() + ", snapshot " + std::to_string(snapshot.generation) +
       ": " + std::to_string(pictures.train.size()) + " pictures in " + options.split + " with " +
       std::to_string(snapshot.views) + " augmented views, " +
       std::to_string(pictures.val.size() + pictures.unlabelled) + " in " + val_split + ", side " +
       std::to_string(snapshot.identity.side) + ", " + std::to_string(snapshot.classes.size()) +
       " classes");
  if (val_split == options.split)
    note("--val-split " + val_split +
         ": metrics are of the pictures that are learnt, and say nothing of others");
  const auto& tiles = snapshot.accounting.tiles;
  if (tiles && tiles->boxes_outside > 0)
    note(std::to_string(tiles->boxes_outside) + " of the store's " +
         std::to_string(tiles->boxes_accounted()) +
         " labels are in no tile: they are neither learnt nor measured");
  const char* best =
      options.monitor.empty() ? ", best.safetensors will be the newest epoch's weights" : "";
  if (const auto why = why_no_metrics(pictures, options)) note(*why + best);
}

// What the run was begun with stays when it took up fewer pictures since.
std::int64_t largest_batch(const Run& run, const CheckpointInfo* resumed) {
  const auto pictures = static_cast<std::int64_t>(run.pictures.train.size());
  if (!resumed) return pictures;
  const nlohmann::json flags = flags_from_json(resumed->configuration_json);
  const FitOptions begun = with_begun(run.options, flags, {}, run.options.out.string());
  return std::max<std::int64_t>(begun.batch, pictures);
}

// On a CPU a sum is split over the threads: another number of them adds in another order.
void note_threads(const CheckpointInfo& resumed, const Note& note) {
  const nlohmann::json used =
      flags_from_json(resumed.configuration_json).value("used", nlohmann::json::object());
  const int was = used.value("threads", 0), now = arithmetic_threads();
  if (was == 0 || was == now || used.value("device", "") != "cpu") return;
  note("resumed: " + std::to_string(now) + (now == 1 ? " CPU thread" : " CPU threads") +
       " per process, was " + std::to_string(was) + ": --threads " + std::to_string(was) +
       " goes on to the bit, any other number rounds differently");
}

// "latest" was said when the run was begun, or in the configuration of many.
void note_snapshot(const Run& run, const Note& note) {
  const auto newest = run.store.generations().back(), own = run.snapshot().generation;
  if (run.options.snapshot != "latest" || newest == own) return;
  note("resumed: the run goes on with snapshot " + std::to_string(own) + ", not with the latest, " +
       std::to_string(newest) + ", which --snapshot follow takes up");
}

void note_val_split(Run& run, const CheckpointInfo& resumed, const Note& note) {
  const auto measured_on = [](const std::string& split) {
    return split.empty() ? kDefaultValSplit : split;
  };
  const std::string before = flags_from_json(resumed.configuration_json).value("val-split", "");
  const std::string now = measured_on(run.options.val_split);
  if (measured_on(before) == now || run.options.monitor == "loss") return;
  forget_metrics(run.done);
  note("resumed: metrics from here on are of split '" + now +
       "': the next epoch is the best so far");
}

void check_goes_on(Run& run, const CheckpointInfo& resumed, const Note& note) {
  const std::string last = last_checkpoint(run.options);
  check_fits(resumed, run.snapshot(), last);
  for (const std::string& difference :
       check_resumable(run.options, resumed.configuration_json, last))
    note("resumed: " + difference);
  note_threads(resumed, note);
  note_snapshot(run, note);
  note_val_split(run, resumed, note);
  note("resumed from " + last + " at step " + std::to_string(run.done.step) + " of " +
       std::to_string(run.plan.total_steps()));
}

// Rank 0 looks for the anchors, which takes a while.
Graph graph_of_new(const Run& run, const std::optional<StartWeights>& start, const Note& note) {
  const FitOptions& options = run.options;
  if (!is_first_rank(options)) return graph_from_json(options.group->broadcast(""));
  const Snapshot& snapshot = run.snapshot();
  check_labels(make_graph(options.model, snapshot, {.published = true}, options.input_size),
               snapshot, options.store.string());
  const Graph* init = start && !options.init.empty() ? &start->graph : nullptr;
  const AnchorChoice anchors =
      choose_anchors(options.anchors, options.model, run.pictures.reader, run.pictures.train, init);
  if (!anchors.anchors.empty()) note(to_string(anchors));
  const Graph graph = make_graph(options.model, snapshot, anchors, options.input_size);
  if (options.group) options.group->broadcast(to_json(graph));
  return graph;
}

ModelStart start_of_new(const Run& run, const Note& note) {
  const FitOptions& options = run.options;
  if (options.resume)
    note(last_checkpoint(options) + " is not there: the run begins at its first step");
  ModelStart start;
  if (is_first_rank(options)) start.weights = start_weights(options);
  if (start.weights) {
    const std::string told = take_over_renames(run.snapshot(), *start.weights);
    if (!told.empty()) note(told);
  }
  start.graph = graph_of_new(run, start.weights, note);
  return start;
}

void note_model(const Run& run, const Graph& graph, const Note& note) {
  const FitOptions& options = run.options;
  const int stored = run.snapshot().identity.side;
  if (graph.side != stored) {
    note("the network's pictures have side " + std::to_string(graph.side) + ", resized from " +
         std::to_string(stored) + " on the device" +
         (graph.anchors.empty() ? "" : "; anchors and boxes are scaled with them"));
  }
  if (const std::string idle = idle_flags(options); !idle.empty()) note(idle);
  if (options.on_device != "none") {
    note("on the device: " + options.on_device +
         "; clean epochs at the end: " + std::to_string(clean_epochs_of(options)));
  }
  if (!run.frozen_layers.empty() && run.done.step == 0 && options.init.empty() &&
      options.pretrained.empty()) {
    note("--freeze without --init or --pretrained: the frozen layers keep their random start");
  }
}

// On a CUDA device an allocation that fails says so.
void note_scarce_memory(const Run& run, const Graph& graph, const Note& note) {
  const FitOptions& options = run.options;
  const auto sides = side_range_of(options.multi_scale);
  const RankAssignment alone, &place = options.group ? options.group->assignment() : alone;
  const std::int64_t rows = options.batch / options.accumulate;
  ForwardPass pass{
      .side = sides ? sides->high : graph.side,
      .pictures = (rows * place.local_world_size + place.world_size - 1) / place.world_size,
      .value_bytes = options.precision == "fp32" ? 4 : 2};
  if (options.freeze_epochs == 0) pass.frozen = run.frozen_layers;
  const BatchParts step{options.batch, place.world_size, options.accumulate};
  if (const auto scarce = scarce_memory(graph, pass, step, memory_for_files())) note(*scarce);
}

// Of the first rank, which writes them. A resumed run has its own already.
void note_scarce_space(const Run& run, const Graph& graph, const Note& note) {
  if (!is_first_rank(run.options) || run.options.out.empty()) return;
  std::error_code unknown;
  const auto space = std::filesystem::space(existing_folder(run.options.out), unknown);
  if (unknown) return;
  if (const auto scarce = scarce_space(graph, static_cast<std::int64_t>(space.available)))
    note(*scarce);
}

void check_refresh(const Run& run, const torch::Device& device, const Note& note) {
  if (run.options.refresh == 0) return;
  if (run.snapshot().views == 0)
    throw Error({.where = "--refresh " + std::to_string(run.options.refresh),
                 .what = "the store has no augmented views to draw anew",
                 .fix = "build it with --views 1 or more, or leave --refresh out"},
                Exit::configuration);
  if (is_first_rank(run.options)) run.store.check_can_write();
  if (device.is_cpu())
    note(
        "--refresh draws views on the cores that this trains on, in time that training leaves: "
        "more --views cost none");
}

}  // namespace

OpenedTraining open_training(const FitOptions& options, const Note& note) {
  const torch::Device device = choose_device(options.device);
  set_up_arithmetic(device, options.threads, kernel_choice(options));
  std::optional<Checkpoint> resumed = resumed_checkpoint(options);
  const CheckpointInfo* info = resumed ? &resumed->info : nullptr;
  check_same_run(options, info);
  Run run = open_run_of(options, info);
  check_same_store(run);
  note_pictures(run, note);
  check_refresh(run, device, note);
  if (const auto limited = limit_batch(largest_batch(run, info), run.options)) note(*limited);
  require_rows(run.options, world_size_of(run.options));
  check_has_backgrounds(run.pictures, options);
  plan_epochs(run, note);
  run.options.class_weights = with_counted_weights(options.class_weights, run.snapshot());
  if (info) check_goes_on(run, *info, note);
  ModelStart start = info ? ModelStart{.graph = info->graph} : start_of_new(run, note);
  start.resumed = std::move(resumed);
  check_model_takes(start.graph, run.options);
  run.monitor = choose_monitor(run.options, !run.pictures.val.empty(), is_classifier(start.graph));
  run.frozen_layers = layers_to_freeze(start.graph, options.freeze);
  note_model(run, start.graph, note);
  if (device.is_cpu()) note_scarce_memory(run, start.graph, note);
  note_scarce_space(run, start.graph, note);
  order_pictures(run);
  return {device, std::move(run), std::move(start)};
}

}  // namespace letterpress
