#include "trainer/fit/step_metrics.h"

#include <algorithm>
#include <utility>

#include "trainer/device/peak_memory.h"
#include "trainer/fit/opening/diverged.h"
#include "trainer/fit/options/ranks_of_run.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

// The loss scale of float16 has found its place after a fifth of it.
constexpr std::int64_t kMostSkipped = 100;
// The first targets of random weights come within a few steps. Without any, boxes get no gradient:
// nothing leads back to them.
constexpr std::int64_t kMostWithoutTarget = 100;

// Sums of the terms, then the normaliser.
void add_to_epoch(RunState::Epoch& epoch, const std::vector<double>& sums,
                  const StepClock::Window& window, int batch) {
  epoch.terms.resize(sums.size() - 1, 0.0);
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) epoch.terms[i] += sums[i];
  epoch.normaliser += sums.back();
  epoch.samples += window.steps * batch;
  epoch.train_s += window.seconds;
  epoch.waited_s += window.starved_s;
}

}  // namespace

StepMetrics::StepMetrics(Run& run, RunModel& model, RunLog& log)
    : run_(run), model_(model), log_(log), skipped_before_(run.done.skipped_steps) {}

void StepMetrics::flush_metrics(RunReading& reading) {
  std::vector<double> sums;
  {
    // On CUDA it waits there for its device, which may wait for the sums over all ranks.
    const RankGroup::ScopedActivity waiting(
        model_.device().is_cuda() ? run_.options.group : nullptr, RankActivity::on_device);
    sums = reading.losses.flush();
  }
  const StepClock::Window window = clock_.flush(reading.feed.batches().starved_s());
  if (window.steps == 0) return;
  check_skipped(window.steps, reading.losses);
  check_targets(reading.losses);
  if (const auto first = reading.losses.first_loss()) run_.done.first_loss = *first;
  add_to_epoch(run_.done.epoch, sums, window, run_.options.batch);
  if (is_first_rank(run_.options)) log_.show(progress(sums, window));
}

EpochResult StepMetrics::epoch() const {
  const RunState::Epoch& sums = run_.done.epoch;
  EpochResult result{.epoch = run_.plan.epochs_after(run_.done.step),
                     .step = run_.done.step,
                     .lr = run_.rate(run_.done.step - 1)};
  for (const double term : sums.terms) result.terms.push_back(term / sums.normaliser);
  if (sums.train_s <= 0) return result;
  result.images_per_s = static_cast<double>(sums.samples) / sums.train_s;
  result.data_wait = sums.waited_s / sums.train_s;
  return result;
}

void StepMetrics::restart_clock(RunReading& reading, double validation_s) {
  validation_s_ = validation_s;
  clock_.restart(reading.feed.batches().starved_s());
}

// steps: since the last flush.
void StepMetrics::check_skipped(std::int64_t steps, const LossLog& losses) {
  const std::int64_t skipped = model_.skipped_steps(),
                     more = skipped - std::exchange(skipped_, skipped);
  run_.done.skipped_steps = skipped_before_ + skipped;
  skipped_in_row_ = more == steps ? skipped_in_row_ + steps : 0;
  if (skipped_in_row_ < kMostSkipped) return;
  throw Diverged(
      {.where = "step " + std::to_string(run_.done.step),
       .what = "the training diverged: " + std::to_string(skipped_in_row_) +
               " steps in a row changed nothing, their gradients are not finite, though "
               "the loss is (" +
               c10::str(*losses.last_loss()) + " at the last one); " + losses.name_last_rows(),
       .fix = "look at them with `letterpress-preprocess preview`, lower --lr or "
              "--class-weights, or take --precision fp32; --resume goes on from the last "
              "checkpoint"});
}

void StepMetrics::check_targets(const LossLog& losses) {
  std::int64_t& steps = run_.done.steps_without_target;
  steps = losses.steps_without_target(steps);
  if (steps < kMostWithoutTarget) return;
  throw Diverged({.where = "step " + std::to_string(run_.done.step),
                  .what = "the training diverged: for " + std::to_string(steps) +
                          " steps in a row no box of their pictures became a target, nothing that "
                          "the model predicts overlaps them; the loss (" +
                          c10::str(*losses.last_loss()) + " at the last one) says nothing",
                  .fix = "begin anew with a lower --lr or a longer --warmup; if the boxes have few "
                         "pixels only, with a larger --input-size"});
}

FitProgress StepMetrics::progress(const std::vector<double>& sums,
                                  const StepClock::Window& window) const {
  const EpochPlan& plan = run_.plan;
  const RunState& done = run_.done;
  std::vector<double> terms;
  for (std::size_t i = 0; i + 1 < sums.size(); ++i) terms.push_back(sums[i] / sums.back());
  return {.epoch = std::min(plan.epochs, done.epochs_done + 1),
          .epochs = plan.epochs,
          .step = done.step,
          .steps = plan.total_steps(),
          .term_names = model_.loss().term_names(),
          .terms = std::move(terms),
          .lr = run_.rate(done.step - 1),
          .images_per_s = static_cast<double>(window.steps * run_.options.batch) / window.seconds,
          .data_wait = window.starved_s / window.seconds,
          .memory = peak_memory(model_.device()),
          .remaining_s = clock_.step_s() * static_cast<double>(plan.total_steps() - done.step) +
                         validation_s_ * static_cast<double>(plan.epochs - done.epochs_done)};
}

}  // namespace letterpress
