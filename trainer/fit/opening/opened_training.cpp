#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "trainer/device/device.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/model_checks.h"
#include "trainer/fit/opening/open_store.h"
#include "trainer/fit/opening/start_weights_of_run.h"
#include "trainer/fit/options/class_weights.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/trainer_state.h"
#include "trainer/loader/batch_sequence.h"
#include "trainer/network/freeze.h"

namespace letterpress {
namespace {

bool writes(const FitOptions& options) { return !options.group || options.group->is_first(); }

FitOptions checked(const FitOptions& options) {
  validate(options);
  check_outside(options.out, options.store);
  if (writes(options)) make_folders(options.out);
  return options;
}

std::optional<FileLock> lock(const FitOptions& options) {
  if (!writes(options)) return std::nullopt;
  return std::optional<FileLock>(std::in_place, options.out / "lock");
}

}  // namespace

Trainer::State::State(const FitOptions& wanted)
    : options_(checked(wanted)),
      lock_(lock(options_)),
      resumed_(resumed_checkpoint(options_)),
      device_(choose_device(options_.device)),
      type_(arithmetic_type(options_.precision, device_)),
      store_(Store::open(options_.store)),
      reader_(store_, agreed_snapshot()),
      train_(some_pictures_of(store_, reader_, options_.split)),
      val_(val_pictures_of(reader_, options_.val_split)) {
  const Snapshot& snapshot = reader_.snapshot();
  const std::string val_split = options_.val_split.empty() ? kDefaultValSplit : options_.val_split;
  if (resumed_) done_ = run_state_from_json(resumed_->info.state_json);
  if (!resumed_ && options_.replay < 1 && !options_.init.empty())
    done_.known = snapshot_of_init(options_, store_);
  if (is_first()) remove_temporary_files(options_.out);
  set_up_arithmetic(device_, options_.threads, options_.deterministic);
  note("store " + options_.store.string() + ", snapshot " + std::to_string(snapshot.generation) +
       ": " + std::to_string(train_.size()) + " pictures in " + options_.split + " with " +
       std::to_string(snapshot.views) + " augmented views, " + std::to_string(val_.size()) +
       " in " + val_split + ", side " + std::to_string(snapshot.identity.side) + ", " +
       std::to_string(snapshot.classes.size()) + " classes");
  if (val_.empty()) {
    const char* best =
        options_.monitor.empty() ? ", best.safetensors will be the newest epoch's weights" : "";
    note("split '" + val_split + "' is empty: no figures" + best);
  }
  // What the run was begun with stays when it took up fewer pictures since.
  const nlohmann::json flags = flags_from_json(resumed_ ? resumed_->info.configuration_json : "");
  const std::int64_t begun =
      resumed_ ? with_begun(options_, flags, {}, options_.out.string()).batch : 0;
  if (const auto limited =
          limit_batch(std::max(begun, static_cast<std::int64_t>(train_.size())), options_))
    note(*limited);
  require_rows(options_, options_.group ? options_.group->world_size() : 1);
  plan_epochs();
  options_.class_weights = with_counted_weights(options_.class_weights, snapshot);
  const Graph graph = prepare_model();
  check_fits_model(options_, graph);
  set_up_sides(graph);
  set_up_on_device();
  monitor_ = choose_monitor(options_, !val_.empty(), is_classifier(graph));
  frozen_layers_ = layers_to_freeze(graph, options_.freeze);
  if (!frozen_layers_.empty() && done_.step == 0 && options_.init.empty() &&
      options_.pretrained.empty()) {
    note("--freeze without --init or --pretrained: the frozen layers keep their random start");
  }
  const GraphSize size = measure(graph);
  note("model " + graph.model + ": " + std::to_string(size.parameters) + " parameters, " +
       c10::str(size.gflops) + " GFLOPs; " + describe(device_) + ", " + options_.precision +
       (options_.group ? ", one of " + std::to_string(options_.group->world_size()) + " ranks (" +
                             options_.group->assignment().launcher + ")"
                       : ""));
  note("configuration " + configuration());
  pin_snapshots();  // not before all is known to fit: a run that is refused leaves no pin
  if (is_first()) replace_file(options_.out / "configuration.json", configuration() + "\n");
  prepare_data();
}

// The flags, and what became of those that leave something open.
std::string Trainer::State::configuration() const {
  nlohmann::json json = nlohmann::json::parse(to_json(options_));
  json["used"] = {{"anchors", model_->network().graph().anchors},
                  {"device", device_.str()},
                  {"ranks", options_.group ? options_.group->world_size() : 1},
                  {"snapshot", reader_.snapshot().generation},
                  {"threads", torch::get_num_threads()}};
  return json.dump();
}

void Trainer::State::set_up_sides(const Graph& graph) {
  sides_ = side_range_of(options_.multi_scale);
  const int stored = reader_.snapshot().identity.side;
  if (graph.side != stored) {
    note("the network's pictures have side " + std::to_string(graph.side) + ", resized from " +
         std::to_string(stored) + " on the device" +
         (graph.anchors.empty() ? "" : "; anchors and boxes are scaled with them"));
  }
}

void Trainer::State::set_up_on_device() {
  on_device_ = batch_augmentations(options_.on_device);
  fill_ = letterbox_rule_of(reader_.snapshot()).fill / 255.0;
  if (on_device_.empty()) return;
  note("on the device: " + options_.on_device +
       "; clean epochs at the end: " + std::to_string(clean_epochs_of(options_)));
}

// The snapshot that is read, and the one whose ledger says what was known. The pins go into the
// store; a training must also run from a read-only mount.
void Trainer::State::pin_snapshots() {
  if (!is_first()) return;
  std::set<std::int64_t> read{reader_.snapshot().generation};
  if (options_.replay < 1 && done_.known > 0) read.insert(done_.known);
  for (auto& [generation, pin] : pins_) {
    if (!read.contains(generation)) pin.release();
  }
  std::erase_if(pins_, [&](const auto& pinned) { return !read.contains(pinned.first); });
  try {
    for (const std::int64_t generation : read)
      pins_.try_emplace(generation, store_, generation, run_name(options_.out), options_.out);
  } catch (const Error& error) {
    note(std::string("the snapshot is not pinned, a gc elsewhere may remove it: ") + error.what());
  }
}

// A build elsewhere may publish between two ranks' looks.
Snapshot Trainer::State::agreed_snapshot() {
  const CheckpointInfo* resumed = resumed_ ? &resumed_->info : nullptr;
  if (!options_.group) return choose_snapshot(store_, options_.snapshot, resumed);
  if (!is_first()) return store_.snapshot(std::stoll(options_.group->broadcast("")));
  Snapshot snapshot = choose_snapshot(store_, options_.snapshot, resumed);
  options_.group->broadcast(std::to_string(snapshot.generation));
  return snapshot;
}

Graph Trainer::State::prepare_model() {
  const Snapshot& snapshot = reader_.snapshot();
  const std::string last = (options_.out / "last.safetensors").string();
  if (resumed_) {
    check_fits(resumed_->info, snapshot, last);
    for (const std::string& difference :
         check_resumable(options_, resumed_->info.configuration_json, last))
      note("resumed: " + difference);
    model_ = std::make_unique<RunModel>(resumed_->info.graph, options_, device_);
    model_->resume(*resumed_);
    const auto& known = resumed_->info.metrics;
    if (known.contains("map50"))
      metrics_ = {known.at("map50"), known.at("map"), known.at("precision"), known.at("recall")};
    if (known.contains("top1")) metrics_ = EpochResult::Metrics{.top1 = known.at("top1")};
    note("resumed from " + last + " at step " + std::to_string(done_.step) + " of " +
         std::to_string(plan_.total_steps()));
    return resumed_->info.graph;
  }
  if (options_.resume) note(last + " is not there: the run begins at its first step");
  // The other ranks copy rank 0's network.
  const std::optional<StartWeights> start = is_first() ? start_weights(options_) : std::nullopt;
  const Graph graph = begin_model(start && !options_.init.empty() ? &start->graph : nullptr);
  model_ = std::make_unique<RunModel>(graph, options_, device_, [&](Network& network) {
    if (start) note(load_and_report_start_weights(network, *start, snapshot.classes, options_));
  });
  return graph;
}

// Rank 0 looks for the anchors, which takes a while.
Graph Trainer::State::begin_model(const Graph* init) {
  if (!is_first()) return graph_from_json(options_.group->broadcast(""));
  check_labels(
      make_graph(options_.model, reader_.snapshot(), {.published = true}, options_.input_size),
      reader_.snapshot(), options_.store.string());
  const AnchorChoice anchors =
      choose_anchors(options_.anchors, options_.model, reader_, train_, init);
  if (!anchors.anchors.empty()) note(to_string(anchors));
  const Graph graph = make_graph(options_.model, reader_.snapshot(), anchors, options_.input_size);
  if (options_.group) options_.group->broadcast(to_json(graph));
  return graph;
}

void Trainer::State::prepare_data() {
  elapsed_before_s_ = done_.elapsed_s;
  checkpointed_step_ = done_.step;
  skipped_before_ = done_.skipped_steps;
  resumed_.reset();
  open_pictures();
  if (!is_first()) return;
  results_ =
      std::make_unique<ResultsCsv>(options_.out / "results.csv", model_->loss().term_names(),
                                   done_.epochs_done, is_classifier(model_->network().graph()));
  events_ = std::make_unique<EventFile>(options_.out / "tensorboard", done_.step);
}

void Trainer::State::open_pictures() {
  const int rank = options_.group ? options_.group->rank() : 0,
            ranks = options_.group ? options_.group->world_size() : 1;
  LoaderOptions loading = training_loading(options_, device_, rank, ranks);
  const TrainingOrder order{.seed = options_.seed,
                            .global_batch = options_.batch,
                            .first_clean_epoch = options_.epochs - clean_epochs_of(options_),
                            .window = window_of(options_.order),
                            .begin = plan_.position(0),
                            .replayed = replayed_,
                            .replay = options_.replay};
  loading.advise = static_cast<int>(order.window.samples() / loading.batch);
  if (order.window.block > 0) put_in_disk_order(train_);
  auto sequence = micro_batches(training_sequence(train_, order, rank, ranks), options_.accumulate);
  loader_ = std::make_unique<BatchLoader>(reader_, std::move(sequence),
                                          done_.step * options_.accumulate, loading);
  note(to_string(loader_->read_choice()));
  feed_ = std::make_unique<DeviceFeed>(*loader_, device_, type_);
  log_ =
      std::make_unique<LossLog>(model_->loss().term_names(), options_.log_every, device_, reader_);
  log_->order_by([this](const std::vector<RowPlace>& rows) { return losses_of(rows); });
}

}  // namespace letterpress
