#include "trainer/fit/trainer.h"

#include <utility>

#include "trainer/device/peak_memory.h"
#include "trainer/fit/checkpoint_writer.h"
#include "trainer/fit/hard_negatives.h"
#include "trainer/fit/memorised_views.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/fit/training_parts.h"
#include "trainer/fit/validation.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

/// The algorithm: steps, ends of epochs, and what ends the session.
class Training {
 public:
  Training(TrainingParts& parts, const StopRequest& stop)
      : parts_(parts),
        run_(parts.run),
        session_(run_.options, run_.done.elapsed_s, stop),
        checkpoints_(run_, *parts.model, session_),
        hard_negatives_(run_, *parts.model, session_),
        memorised_(run_, *parts.model) {
    if (const auto text = note_of_few_views(run_.options, run_.snapshot().views))
      parts_.note(*text);
  }

  FitResult train() {
    parts_.metrics.restart_clock(*parts_.reading, 0);
    if (run_.done.epochs_done >= run_.plan.epochs)
      parts_.note("nothing is left to do: all " + std::to_string(run_.plan.epochs) +
                  " epochs are done; more --epochs go on");
    while (true) {
      const bool epoch_is_over = run_.plan.epochs_after(run_.done.step) > run_.done.epochs_done;
      if (!epoch_is_over && (run_.done.step >= run_.plan.total_steps() || run_.is_stalled()))
        return end();
      // A session does some work, however short its time is.
      if (stop_ == Session::kOutOfTime) return stop_early();
      const bool complete = epoch_is_over ? end_epoch() : train_step();
      stop_ = epoch_is_over ? session_.agreed_stop() : session_.agreed_stop_after_step();
      if (!complete && stop_ == 0) stop_ = Session::kOutOfTime;
      if (!complete || stop_ > Session::kOutOfTime) return stop_early();
      if (checkpoints_.is_due()) write_within_epoch();
    }
  }

 private:
  bool train_step() {
    const FitHooks& hooks = run_.options.hooks;
    parts_.steps.step(*parts_.reading);
    parts_.metrics.count_step();
    if (parts_.reading->losses.full()) parts_.metrics.flush_metrics(*parts_.reading);
    if (hooks.after_step) hooks.after_step(run_.done.step);
    return true;
  }

  // False: stopped while validating; the epoch ends again after --resume.
  bool end_epoch() {
    parts_.metrics.flush_metrics(*parts_.reading);
    const Clock::time_point begin = Clock::now();
    EpochResult ended = parts_.metrics.epoch();
    if (!run_.pictures.val.empty()) {
      ended.metrics = measure_val(run_, *parts_.model, session_, parts_.metrics.steps() > 0);
      if (!ended.metrics) return false;
      run_.metrics = ended.metrics;
    }
    if (!hard_negatives_.measure(ended.epoch)) return false;
    // What is best, when to stop and when the rate falls must not differ between ranks by a bit.
    if (run_.options.group) ended.terms = run_.options.group->broadcast(ended.terms);
    const double validation_s = seconds_since(begin);
    ended.seconds = session_.elapsed_s();
    parts_.log.append(ended, run_.done.epoch.train_s + validation_s, run_.done.skipped_steps);
    const bool is_best = take_in(run_, ended, parts_.note);
    if (const auto text = memorised_.after(ended.epoch)) parts_.note(*text);
    const std::int64_t before = std::exchange(run_.done.epochs_done, ended.epoch);
    run_.done.epoch = {};
    parts_.pins.renew(parts_.note);
    checkpoints_.write_epoch(is_best, before);
    checkpoints_.write_last();
    if (auto newer = parts_.follower.newer(parts_.note)) {
      go_on_with(*std::move(newer));
    } else if (hard_negatives_.any() && run_.done.epochs_done < run_.plan.epochs &&
               !run_.is_stalled()) {
      read_anew();
    }
    parts_.metrics.restart_clock(*parts_.reading, validation_s);
    return true;
  }

  void go_on_with(Snapshot newer) {
    {
      const RankGroup::ScopedActivity busy(run_.options.group, RankActivity::long_task);
      parts_.reading.reset();  // it reads what is about to go
      const bool same_pictures = take_up(run_, std::move(newer), parts_.note);
      parts_.pins.follow(run_, parts_.note);
      parts_.steps.take_up();
      memorised_.begin(run_.done.epochs_done);
      const Note silent = [](const std::string&) {};  // how they are read was said before
      parts_.reading =
          std::make_unique<RunReading>(run_, *parts_.model, same_pictures ? silent : parts_.note);
    }
    checkpoints_.write_last();
  }

  // What was read ahead went by the losses before.
  void read_anew() {
    const RankGroup::ScopedActivity busy(run_.options.group, RankActivity::long_task);
    parts_.reading.reset();
    const Note silent = [](const std::string&) {};
    parts_.reading = std::make_unique<RunReading>(run_, *parts_.model, silent);
  }

  void write_within_epoch() {
    parts_.metrics.flush_metrics(*parts_.reading);
    checkpoints_.write_last();
  }

  FitResult stop_early() {
    const bool by_signal = Session::signal_of(stop_) != 0;
    write_within_epoch();
    parts_.note(
        "stopped " +
        (by_signal ? "by a signal" : "by --time-budget " + c10::str(run_.options.time_budget)) +
        " at step " + std::to_string(run_.done.step) + "; --resume goes on from here");
    return result(by_signal ? Ending::signal : Ending::out_of_time);
  }

  FitResult end() {
    parts_.pins.release();
    if (run_.done.step >= run_.plan.total_steps()) return result(Ending::complete);
    parts_.note("stopped after epoch " + std::to_string(run_.done.epochs_done) + ": " +
                run_.monitor->metric + " was not better for " +
                std::to_string(run_.done.stopping.stalled) +
                " epochs; a larger --patience with --resume goes on");
    return result(Ending::stalled);
  }

  FitResult result(Ending ending) {
    FitResult result = result_of(run_);
    result.ending = ending;
    result.signal = ending == Ending::signal ? Session::signal_of(stop_) : 0;
    result.seconds = session_.elapsed_s();
    result.peak_memory = peak_memory(parts_.model->device());
    result.last_loss = parts_.reading->losses.last_loss();
    if (const std::string text = note_of_nothing_found(run_.done);
        !text.empty() && result.signal == 0)
      parts_.note(text);
    return result;
  }

  TrainingParts& parts_;
  Run& run_;
  Session session_;
  CheckpointWriter checkpoints_;
  HardNegatives hard_negatives_;
  MemorisedViews memorised_;
  int stop_ = 0;  ///< of all ranks, as Session::agreed_stop()
};

}  // namespace

Trainer::Trainer(const FitOptions& options) : parts_(open_parts(options)) {}
Trainer::~Trainer() = default;

FitResult Trainer::run(const StopRequest& stop) {
  const FitResult result = Training(*parts_, stop).train();
  // The first rank has written its files before a launcher sees another one end.
  if (RankGroup* group = parts_->run.options.group) group->all_reduce_max(0);
  return result;
}

}  // namespace letterpress
