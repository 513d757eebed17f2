#include "trainer/fit/trainer.h"

#include <cstdio>
#include <tuple>
#include <utility>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/commandline/program.h"
#include "trainer/device/device.h"
#include "trainer/device/peak_memory.h"
#include "trainer/fit/log/run_scalars.h"
#include "trainer/fit/options/derived_options.h"
#include "trainer/fit/trainer_state.h"
#include "trainer/loader/batch_sequence.h"

namespace letterpress {
namespace {

constexpr int kOutOfTime = 1;  // less than any signal

}  // namespace

// Collective: all ranks stop at the same step. A signal counts more than the clock.
int Trainer::State::agreed_stop() {
  const int own = stop_signal() != 0 ? stop_signal() : is_out_of_time() ? kOutOfTime : 0;
  return options_.group ? static_cast<int>(options_.group->all_reduce_max(own)) : own;
}

FitResult Trainer::State::run() {
  const FitResult result = train();
  // The first rank has written its files before a launcher sees another one end.
  if (options_.group) options_.group->all_reduce_max(0);
  return result;
}

FitResult Trainer::State::train() {
  session_begin_ = window_begin_ = checkpointed_ = Clock::now();
  if (done_.epochs_done >= plan_.epochs) {
    note("nothing is left to do: all " + std::to_string(plan_.epochs) +
         " epochs are done; more --epochs go on");
  }
  for (bool worked = false;; worked = true) {
    const bool epoch_is_over = plan_.epochs_after(done_.step) > done_.epochs_done;
    if (!epoch_is_over && (done_.step >= plan_.total_steps() || is_stalled())) break;
    if (worked && stop_ == kOutOfTime) return stop_out_of_time();
    const bool complete = epoch_is_over ? end_epoch() : (train_step(), true);
    stop_ = agreed_stop();
    if (!complete && stop_ <= kOutOfTime) return stop_out_of_time();
    if (!complete || stop_ > kOutOfTime) return stop_early(Ending::signal, "by a signal");
    if (is_first() && seconds_since(checkpointed_) > 60 * options_.checkpoint_minutes) {
      look();
      write_last();
    }
  }
  for (auto& [generation, pin] : pins_) pin.release();
  if (done_.step >= plan_.total_steps()) return result(Ending::complete);
  note("stopped after epoch " + std::to_string(done_.epochs_done) + ": " + monitor_->metric +
       " was not better for " + std::to_string(done_.stopping.stalled) +
       " epochs; a larger --patience with --resume goes on");
  return result(Ending::stalled);
}

bool Trainer::State::is_out_of_time() const {
  return options_.time_budget > 0 && seconds_since(session_begin_) >= 60 * options_.time_budget;
}

FitResult Trainer::State::stop_out_of_time() {
  return stop_early(Ending::out_of_time, "by --time-budget " + c10::str(options_.time_budget));
}

FitResult Trainer::State::stop_early(Ending ending, const std::string& why) {
  look();
  write_last();
  note("stopped " + why + " at step " + std::to_string(done_.step) +
       "; --resume goes on from here");
  return result(ending);
}

// A function of the step, so that a resumed run is in the right stage.
void Trainer::State::freeze_or_thaw() {
  const bool frozen =
      !frozen_layers_.empty() &&
      (options_.freeze_epochs == 0 || plan_.schedule_step(done_.step) < schedule_.frozen_steps);
  if (frozen_now_ == frozen) return;
  model_->network().freeze_layers(frozen ? frozen_layers_ : std::set<std::string>{});
  if (frozen)
    note("frozen: " + std::to_string(frozen_layers_.size()) + " layers (--freeze " +
         options_.freeze + ")");
  if (frozen_now_ && !frozen)
    note("all layers train from step " + std::to_string(done_.step) + " on");
  memory_side_ = 0;  // their gradients take more
  frozen_now_ = frozen;
}

void Trainer::State::train_step() {
  freeze_or_thaw();
  if (options_.before_step) options_.before_step(done_.step + 1);
  seed_step(device_, options_.seed, done_.step);
  std::vector<RowPlace> places;
  std::int64_t first =
      first_row_of_rank(options_.batch, options_.group ? options_.group->rank() : 0,
                        options_.group ? options_.group->world_size() : 1);
  for (int part = 0; part < options_.accumulate; ++part) {
    const Batch batch = step_input(*feed_->next(), first);
    first += batch.images.size(0);
    places.insert(places.end(), feed_->places().begin(), feed_->places().end());
    model_->step().accumulate(batch, part + 1 == options_.accumulate);
    if (part + 1 < options_.accumulate) feed_->prefetch();
  }
  const torch::Tensor totals = model_->step().update(lr_of(done_.step));
  feed_->prefetch();
  note_memory();
  ++done_.step;
  ++window_steps_;
  if (options_.fed) options_.fed(done_.step, places);
  log_->record(done_.step, totals, std::move(places));
  if (log_->full()) look();
  if (options_.after_step) options_.after_step(done_.step);
}

// On CUDA it waits there for the sums over all ranks.
std::vector<double> Trainer::State::look_at_device() {
  const RankGroup::ScopedActivity waiting(device_.is_cuda() ? options_.group : nullptr,
                                          RankActivity::waiting);
  return log_->look();
}

// What the steps since the last look gave, into the epoch's sums and the progress line.
void Trainer::State::look() {
  const std::vector<double> sums = look_at_device();
  const double starved_s = feed_->starved_s(), waited = starved_s - window_waited_s_;
  const double seconds = seconds_since(window_begin_);
  const std::int64_t steps = std::exchange(window_steps_, 0), samples = steps * options_.batch;
  window_begin_ = Clock::now();
  window_waited_s_ = starved_s;
  if (steps == 0) return;
  check_skipped(steps);
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
  if (!is_first()) return;
  const FitProgress progress{
      .epoch = std::min(plan_.epochs, done_.epochs_done + 1),
      .epochs = plan_.epochs,
      .step = done_.step,
      .steps = plan_.total_steps(),
      .term_names = model_->loss().term_names(),
      .terms = terms,
      .lr = lr_of(done_.step - 1),
      .images_per_s = static_cast<double>(samples) / seconds,
      .data_wait = waited / seconds,
      .memory = peak_memory(device_),
      .remaining_s = step_s * static_cast<double>(plan_.total_steps() - done_.step) +
                     validation_s_ * static_cast<double>(plan_.epochs - done_.epochs_done)};
  line_.show(progress);
  draw(done_.step, scalars_of(progress));
}

// Curves are for the eye: no run ends for them.
void Trainer::State::draw(std::int64_t step, const std::vector<Scalar>& scalars) {
  if (!events_) return;
  try {
    events_->append(step, scalars);
  } catch (const Error& error) {
    events_.reset();
    note(std::string("TensorBoard gets no more curves of this session: ") + error.what());
  }
}

// False: a signal came while validating, or the time was over; the epoch ends again after --resume.
bool Trainer::State::end_epoch() {
  look();
  const Clock::time_point begin = Clock::now();
  const RunState::Epoch& sums = done_.epoch;
  EpochResult ended{
      .epoch = plan_.epochs_after(done_.step), .step = done_.step, .lr = lr_of(done_.step - 1)};
  for (const double term : sums.terms) ended.terms.push_back(term / sums.normaliser);
  ended.images_per_s = sums.train_s > 0 ? static_cast<double>(sums.samples) / sums.train_s : 0;
  ended.data_wait = sums.train_s > 0 ? sums.waited_s / sums.train_s : 0;
  if (!val_.empty()) {
    const auto metrics = metrics_of_val();
    if (!metrics) return false;
    ended.metrics = metrics_ = metrics;
  }
  agree_on(ended);
  validation_s_ = seconds_since(begin);
  ended.seconds = elapsed_s();
  note_epoch(ended, sums.train_s + validation_s_);
  const bool best = take_metric(ended);
  if (results_) results_->append(ended);
  draw(ended.step, scalars_of(ended));
  const std::int64_t before = std::exchange(done_.epochs_done, ended.epoch);
  done_.epoch = {};
  renew_pin();
  if (best) write("best.safetensors", false);
  if (options_.save_every > 0 && ended.epoch / options_.save_every > before / options_.save_every)
    write_epoch();
  write_last();
  if (follow()) write_last();
  window_begin_ = Clock::now();
  window_waited_s_ = feed_->starved_s();
  return true;
}

// What is best, when to stop and when the rate falls must not differ between ranks by a bit.
void Trainer::State::agree_on(EpochResult& ended) {
  if (options_.group) ended.terms = options_.group->broadcast(ended.terms);
}

// Counts for how long the figure has stalled, and lowers the rate on a plateau. True when it is the
// best so far.
bool Trainer::State::take_metric(const EpochResult& ended) {
  if (!monitor_) return true;
  const double metric = monitored(*monitor_, ended);
  const bool counts =
      plan_.schedule_step(ended.step) >
      schedule_.frozen_steps;  // what stalls while frozen may well go on when all train
  if (counts) done_.stopping.improved_by(metric, monitor_->higher_is_better, options_.min_delta);
  if (counts && options_.schedule == "plateau" &&
      done_.plateau.look(metric, plateau_options(options_, monitor_->higher_is_better))) {
    note(monitor_->metric + " has stalled: the learning rate falls to " +
         c10::str(lr_of(done_.step)));
  }
  if (!done_.best.improved_by(metric, monitor_->higher_is_better, 0)) return false;
  done_.best_epoch = ended.epoch;
  if (ended.metrics && !ended.metrics->top1)
    std::tie(done_.best_map, done_.best_map50) =
        std::tuple(ended.metrics->map, ended.metrics->map50);
  return true;
}

void Trainer::State::note_epoch(const EpochResult& result, double epoch_s) {
  double loss = 0;
  for (const double term : result.terms) loss += term;
  char text[256];
  std::snprintf(text, sizeof text,
                "epoch %lld/%d: loss %.4g, %.1f images/s, data_wait %.1f %%, %.0f s",
                static_cast<long long>(result.epoch), options_.epochs, loss, result.images_per_s,
                100 * result.data_wait, epoch_s);
  std::string line = text;
  if (const auto& metrics = result.metrics; metrics && metrics->top1) {
    std::snprintf(text, sizeof text, ", top-1 %.4f", *metrics->top1);
    line += text;
  } else if (metrics) {
    std::snprintf(text, sizeof text, ", mAP50 %.4f, mAP50-95 %.4f, precision %.3f, recall %.3f",
                  metrics->map50, metrics->map, metrics->precision, metrics->recall);
    line += text;
  }
  if (const std::int64_t skipped = skipped_steps()) {
    line += "; " + std::to_string(skipped) +
            " steps so far changed nothing, their gradients were not finite";
  }
  note(line);
}

FitResult Trainer::State::result(Ending ending) const {
  return {.ending = ending,
          .signal = ending == Ending::signal ? stop_ : 0,
          .step = done_.step,
          .epochs_done = done_.epochs_done,
          .metrics = metrics_,
          .best_epoch = done_.best_epoch,
          .best_map = done_.best_map,
          .best_map50 = done_.best_map50,
          .best_top1 = monitor_ && monitor_->metric == "top1" ? done_.best.value : std::nullopt,
          .seconds = elapsed_s(),
          .last_loss = log_->last_loss(),
          .skipped_steps = skipped_steps()};
}

std::string to_string(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return "complete";
    case Ending::stalled:
      return "stalled";
    case Ending::signal:
      return "signal";
    case Ending::out_of_time:
      return "out of time";
  }
  return {};
}

Trainer::Trainer(const FitOptions& options) : state_(std::make_unique<State>(options)) {}
Trainer::~Trainer() = default;
FitResult Trainer::run() { return state_->run(); }

}  // namespace letterpress
