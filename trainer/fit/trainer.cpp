#include "trainer/fit/trainer.h"

#include <chrono>
#include <cstdio>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "trainer/fit/device.h"
#include "trainer/fit/device_feed.h"
#include "trainer/fit/epochs.h"
#include "trainer/fit/evaluate.h"
#include "trainer/fit/find_checkpoint.h"
#include "trainer/fit/loss_log.h"
#include "trainer/fit/part_options.h"
#include "trainer/fit/progress_line.h"
#include "trainer/fit/run_model.h"
#include "trainer/fit/run_setup.h"
#include "trainer/fit/run_state.h"

namespace letterpress {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

FitOptions checked(const FitOptions& options) {
  validate(options);
  make_folders(options.out);
  return options;
}

// The pin goes into the store; a training must also run from a read-only mount.
std::optional<Pin> pin_snapshot(const Store& store, std::int64_t generation, const std::filesystem::path& out, std::string& problem) {
  try {
    return Pin(store, generation, run_name(out), out);
  } catch (const Error& error) {
    problem = std::string("the snapshot is not pinned, a gc elsewhere may remove it: ") + error.what();
    return std::nullopt;
  }
}

}  // namespace

struct Trainer::State {
  explicit State(const FitOptions& wanted);

  FitResult run();

 private:
  Graph prepare_model();
  void prepare_data();
  void train_step();
  void look();
  bool end_epoch();
  std::optional<DetectionFigures> figures_of_val();
  void note_epoch(const EpochResult& result, double epoch_s);
  void write(const char* name, bool for_training);
  void write_last();
  FitResult result(int signal) const;
  double lr_of(std::int64_t step) const { return learning_rate(schedule_, step, plan_.total_steps()); }
  void note(const std::string& text) { options_.note ? options_.note(text) : line_.note(text); }

  FitOptions options_;
  FileLock lock_;
  std::optional<Checkpoint> resumed_;
  std::string pin_problem_;
  torch::Device device_;
  Store store_;
  SnapshotReader reader_;
  std::optional<Pin> pin_;
  std::vector<PictureRows> train_, val_;
  ProgressLine line_;
  EpochPlan plan_;
  ScheduleOptions schedule_;
  RunState done_;
  std::unique_ptr<RunModel> model_;
  std::unique_ptr<BatchLoader> loader_;
  std::unique_ptr<DeviceFeed> feed_;
  std::unique_ptr<LossLog> log_;
  std::unique_ptr<ResultsCsv> results_;
  std::optional<EpochResult::Figures> figures_;

  Clock::time_point session_begin_ = Clock::now(), window_begin_ = session_begin_, checkpointed_ = session_begin_;
  double elapsed_before_s_ = 0, window_waited_s_ = 0, validation_s_ = 0;
  std::int64_t window_steps_ = 0, session_steps_ = 0, checkpointed_step_ = 0;
  double session_train_s_ = 0;
};

Trainer::State::State(const FitOptions& wanted)
    : options_(checked(wanted)),
      lock_(options_.out / "lock"),
      resumed_(resumed_checkpoint(options_)),
      device_(choose_device(options_.device)),
      store_(Store::open(options_.store)),
      reader_(store_, choose_snapshot(store_, options_.snapshot, resumed_ ? &resumed_->info : nullptr)),
      pin_(pin_snapshot(store_, reader_.snapshot().generation, options_.out, pin_problem_)),
      train_(pictures_of(reader_, options_.split)),
      val_(pictures_of(reader_, options_.val_split)) {
  const Snapshot& snapshot = reader_.snapshot();
  if (!pin_problem_.empty()) note(pin_problem_);
  if (train_.empty()) {
    throw Error(options_.store.string() + ": split '" + options_.split + "' of snapshot " + std::to_string(snapshot.generation) +
                    " holds no picture; look at `letterpress-preprocess info`",
                Exit::no_input);
  }
  set_up_arithmetic(device_, options_.threads, options_.deterministic);
  note("store " + options_.store.string() + ", snapshot " + std::to_string(snapshot.generation) + ": " + std::to_string(train_.size()) +
       " pictures in " + options_.split + " with " + std::to_string(snapshot.views) + " augmented views, " + std::to_string(val_.size()) +
       " in " + options_.val_split + ", side " + std::to_string(snapshot.identity.side) + ", " + std::to_string(snapshot.classes.size()) +
       " classes");
  if (val_.empty()) note("split '" + options_.val_split + "' is empty: no figures, best.safetensors will be the newest epoch's weights");
  plan_ = {static_cast<std::int64_t>(train_.size()), options_.batch, options_.epochs};
  schedule_ = schedule_options(options_, plan_.steps_per_epoch(), plan_.total_steps());
  const Graph graph = prepare_model();
  const GraphSize size = measure(graph);
  note("model " + graph.model + ": " + std::to_string(size.parameters) + " parameters, " + c10::str(size.gflops) + " GFLOPs; " +
       describe(device_) + ", " + options_.precision);
  note("configuration " + to_json(options_));
  replace_file(options_.out / "configuration.json", to_json(options_) + "\n");
  prepare_data();
}

Graph Trainer::State::prepare_model() {
  const Snapshot& snapshot = reader_.snapshot();
  const std::string last = (options_.out / "last.safetensors").string();
  if (resumed_) {
    check_fits(resumed_->info, snapshot, last);
    for (const std::string& difference : check_resumable(options_, resumed_->info.configuration_json, last)) note("resumed: " + difference);
    model_ = std::make_unique<RunModel>(resumed_->info.graph, options_, device_);
    model_->resume(*resumed_);
    done_ = run_state_from_json(resumed_->info.state_json);
    note("resumed from " + last + " at step " + std::to_string(done_.step) + " of " + std::to_string(plan_.total_steps()));
    return resumed_->info.graph;
  }
  if (options_.resume) note(last + " is not there: a new run begins");
  std::optional<Checkpoint> init;
  if (!options_.init.empty()) init = read_checkpoint(find_checkpoint(options_.init), true);
  const AnchorChoice anchors = choose_anchors(options_.anchors, options_.model, reader_, train_, init ? &init->info : nullptr);
  if (!anchors.anchors.empty()) note(to_string(anchors));
  const Graph graph = make_model(
      options_.model, {.classes = static_cast<int>(snapshot.classes.size()), .side = snapshot.identity.side, .anchors = anchors.anchors});
  model_ = std::make_unique<RunModel>(graph, options_, device_, init ? &*init : nullptr);
  if (init && !model_->not_taken_over().empty()) {
    note("start weights of " + options_.init.string() + ", but for " + to_string(model_->not_taken_over()));
  }
  return graph;
}

void Trainer::State::prepare_data() {
  elapsed_before_s_ = done_.elapsed_s;
  checkpointed_step_ = done_.step;
  resumed_.reset();
  const int micro_batch = options_.batch / options_.accumulate;
  LoaderOptions loading{.batch = micro_batch, .threads = options_.readers, .before_read = options_.before_read};
  pin_for(device_, loading);
  const std::int64_t first_clean_epoch = options_.epochs - clean_epochs_of(options_);
  auto sequence = micro_batches(training_sequence(train_, options_.seed, options_.batch, 0, 1, first_clean_epoch), options_.accumulate);
  loader_ = std::make_unique<BatchLoader>(reader_, std::move(sequence), done_.step * options_.accumulate, loading);
  feed_ = std::make_unique<DeviceFeed>(*loader_, device_, options_.precision == "bf16" ? torch::kBFloat16 : torch::kFloat,
                                       DeviceFeed::Shape{micro_batch, reader_.snapshot().identity.side, max_boxes_of(reader_)});
  log_ = std::make_unique<LossLog>(model_->loss().term_names(), options_.log_every, device_, reader_);
  results_ = std::make_unique<ResultsCsv>(options_.out / "results.csv", model_->loss().term_names(), done_.epochs_done);
}

FitResult Trainer::State::run() {
  session_begin_ = window_begin_ = checkpointed_ = Clock::now();
  for (;;) {
    const bool epoch_is_over = plan_.epochs_after(done_.step) > done_.epochs_done;
    if (!epoch_is_over && done_.step >= plan_.total_steps()) break;
    const bool complete = epoch_is_over ? end_epoch() : (train_step(), true);
    if (!complete || stop_signal() != 0) {
      look();
      write_last();
      note("stopped by a signal at step " + std::to_string(done_.step) + "; --resume goes on from here");
      return result(stop_signal());
    }
    if (seconds_since(checkpointed_) > 60 * options_.checkpoint_minutes) {
      look();
      write_last();
    }
  }
  if (pin_) pin_->release();
  return result(0);
}

void Trainer::State::train_step() {
  seed_step(device_, options_.seed, done_.step);
  std::vector<RowPlace> places;
  for (int part = 0; part < options_.accumulate; ++part) {
    const Batch* batch = feed_->next();
    places.insert(places.end(), feed_->places().begin(), feed_->places().end());
    model_->step().accumulate(*batch);
    feed_->prefetch();
  }
  const torch::Tensor totals = model_->step().update(lr_of(done_.step));
  ++done_.step;
  ++window_steps_;
  log_->record(done_.step, totals, std::move(places));
  if (log_->full()) look();
  if (options_.after_step) options_.after_step(done_.step);
}

// What the steps since the last look gave, into the epoch's sums and the progress line.
void Trainer::State::look() {
  const std::vector<double> sums = log_->look();
  const double seconds = seconds_since(window_begin_), waited = loader_->waited_s() - window_waited_s_;
  const std::int64_t steps = std::exchange(window_steps_, 0), samples = steps * options_.batch;
  window_begin_ = Clock::now();
  window_waited_s_ = loader_->waited_s();
  if (steps == 0) return;
  session_steps_ += steps;
  session_train_s_ += seconds;
  RunState::Epoch& epoch = done_.epoch;
  epoch.terms.resize(sums.size() - 1, 0.0);
  std::vector<double> terms;
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) {
    epoch.terms[i] += sums[i];
    terms.push_back(sums[i] / sums.back());
  }
  epoch.normaliser += sums.back();
  epoch.samples += samples;
  epoch.train_s += seconds;
  epoch.waited_s += waited;
  const double step_s = session_train_s_ / static_cast<double>(session_steps_);
  line_.show({.epoch = std::min(plan_.epochs, done_.epochs_done + 1),
              .epochs = plan_.epochs,
              .step = done_.step,
              .steps = plan_.total_steps(),
              .term_names = model_->loss().term_names(),
              .terms = terms,
              .lr = lr_of(done_.step - 1),
              .images_per_s = static_cast<double>(samples) / seconds,
              .data_wait = waited / seconds,
              .remaining_s = step_s * static_cast<double>(plan_.total_steps() - done_.step) +
                             validation_s_ * static_cast<double>(plan_.epochs - done_.epochs_done)});
}

// False: a signal came while validating; the epoch ends again after --resume.
bool Trainer::State::end_epoch() {
  look();
  const Clock::time_point begin = Clock::now();
  const RunState::Epoch& sums = done_.epoch;
  EpochResult ended{.epoch = plan_.epochs_after(done_.step), .step = done_.step, .lr = lr_of(done_.step - 1)};
  for (const double term : sums.terms) ended.terms.push_back(term / sums.normaliser);
  ended.images_per_s = sums.train_s > 0 ? static_cast<double>(sums.samples) / sums.train_s : 0;
  ended.data_wait = sums.train_s > 0 ? sums.waited_s / sums.train_s : 0;
  bool best = val_.empty();
  if (!val_.empty()) {
    const auto figures = figures_of_val();
    if (!figures) return false;
    ended.figures = figures_ = {figures->map50, figures->map, figures->precision, figures->recall};
    best = std::pair(figures->map, figures->map50) > std::pair(done_.best_map, done_.best_map50);
    if (best) std::tie(done_.best_map, done_.best_map50, done_.best_epoch) = std::tuple(figures->map, figures->map50, ended.epoch);
  }
  validation_s_ = seconds_since(begin);
  ended.seconds = elapsed_before_s_ + seconds_since(session_begin_);
  note_epoch(ended, sums.train_s + validation_s_);
  results_->append(ended);
  done_.epochs_done = ended.epoch;
  done_.epoch = {};
  if (pin_) pin_->renew();
  if (best) write("best.safetensors", false);
  write_last();
  window_begin_ = Clock::now();
  window_waited_s_ = loader_->waited_s();
  return true;
}

std::optional<DetectionFigures> Trainer::State::figures_of_val() {
  const EvaluateOptions evaluating{.device = device_,
                                   .bf16 = options_.precision == "bf16",
                                   .batch = options_.batch / options_.accumulate,
                                   .readers = options_.readers,
                                   .stop = [] { return stop_signal() != 0; }};
  return model_->with_weights_to_use([&] { return evaluate(model_->network(), reader_, val_, evaluating); });
}

void Trainer::State::note_epoch(const EpochResult& result, double epoch_s) {
  double loss = 0;
  for (const double term : result.terms) loss += term;
  char text[256];
  std::snprintf(text, sizeof text, "epoch %lld/%d: loss %.4g, %.1f images/s, data_wait %.1f %%, %.0f s",
                static_cast<long long>(result.epoch), options_.epochs, loss, result.images_per_s, 100 * result.data_wait, epoch_s);
  std::string line = text;
  if (const auto& figures = result.figures) {
    std::snprintf(text, sizeof text, ", mAP50 %.4f, mAP50-95 %.4f, precision %.3f, recall %.3f", figures->map50, figures->map,
                  figures->precision, figures->recall);
    line += text;
  }
  if (const std::int64_t skipped = model_->skipped_steps()) {
    line += "; " + std::to_string(skipped) + " steps so far changed nothing, their gradients were not finite";
  }
  note(line);
}

void Trainer::State::write(const char* name, bool for_training) {
  const Snapshot& snapshot = reader_.snapshot();
  done_.elapsed_s = elapsed_before_s_ + seconds_since(session_begin_);
  Checkpoint checkpoint{.info = {.graph = model_->network().graph(),
                                 .letterbox = letterbox_rule_of(snapshot),
                                 .classes = snapshot.classes,
                                 .snapshot_generation = snapshot.generation,
                                 .snapshot_digest = snapshot.logical_digest.hex(),
                                 .position = done_.step * options_.batch,
                                 .step = done_.step,
                                 .epochs_done = done_.epochs_done,
                                 .configuration_json = to_json(options_),
                                 .state_json = to_json(done_)},
                        .tensors = model_->tensors(for_training)};
  if (figures_) {
    checkpoint.info.figures = {
        {"map50", figures_->map50}, {"map", figures_->map}, {"precision", figures_->precision}, {"recall", figures_->recall}};
  }
  try {
    write_checkpoint(options_.out / name, checkpoint);
  } catch (const Error& error) {
    const std::string from = checkpointed_step_ > 0 ? "from step " + std::to_string(checkpointed_step_) : "from the start";
    throw Error(std::string(error.what()) + "; once that is mended, --resume goes on " + from, error.exit());
  }
}

void Trainer::State::write_last() {
  write("last.safetensors", true);
  checkpointed_ = Clock::now();
  checkpointed_step_ = done_.step;
}

FitResult Trainer::State::result(int signal) const {
  return {.signal = signal,
          .step = done_.step,
          .epochs_done = done_.epochs_done,
          .figures = figures_,
          .best_epoch = done_.best_epoch,
          .best_map = done_.best_map,
          .best_map50 = done_.best_map50,
          .seconds = elapsed_before_s_ + seconds_since(session_begin_)};
}

Trainer::Trainer(const FitOptions& options) : state_(std::make_unique<State>(options)) {}
Trainer::~Trainer() = default;
FitResult Trainer::run() { return state_->run(); }

}  // namespace letterpress
