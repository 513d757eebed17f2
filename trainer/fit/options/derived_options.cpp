#include "trainer/fit/options/derived_options.h"

#include <algorithm>
#include <cmath>

#include "trainer/device/cuda_graph.h"
#include "trainer/fit/options/class_weights.h"

namespace letterpress {
namespace {

// Of the running statistics, a run's last tenth; more than a fifth of one batch is noise. Measured
// with yolov8n fine-tuned on 60 pictures, 45 steps: mAP50 .57, with the model's own momentum .003.
constexpr double kNormMemory = 0.1, kMostNormMomentum = 0.2;
constexpr double kWarmupEpochs = 3;
constexpr double kNever = 1e15;  // steps

}  // namespace

KernelChoice kernel_choice(const FitOptions& options) {
  return {.deterministic = options.deterministic, .tf32 = options.tf32};
}

bool replays_graph(const FitOptions& options, torch::Device device) {
  if (options.cuda_graph == "auto" && options.multi_scale != "none") return false;
  return graph_chosen(options.cuda_graph, device);
}

OptimiserOptions optimiser_options(const FitOptions& options) {
  return {.name = options.optimiser,
          .momentum = options.momentum,
          .nesterov = options.momentum > 0,
          .weight_decay = options.weight_decay,
          .clip_norm = options.clip};
}

EmaOptions ema_options(const FitOptions& options) { return {.decay = options.ema}; }

LossOptions loss_options(const FitOptions& options) {
  return {.label_smoothing = options.label_smoothing,
          .class_weights = class_weights_from(options.class_weights)};
}

double least_norm_momentum(const FitOptions& options, std::int64_t steps) {
  const auto batches = static_cast<double>(steps * options.accumulate);
  return std::min(kMostNormMomentum, 1 / (kNormMemory * batches));
}

ScheduleOptions schedule_options(const FitOptions& options, double steps_per_epoch,
                                 std::int64_t total_steps) {
  const std::int64_t warmup =
      options.warmup >= 0
          ? std::llround(options.warmup * steps_per_epoch)
          : std::min<std::int64_t>(std::llround(kWarmupEpochs * steps_per_epoch), total_steps / 10);
  return {.name = options.schedule,
          .lr = learning_rate_of(options),
          .final_fraction = options.final_fraction,
          .warmup_steps = warmup,
          .power = options.power,
          .drop_factor = options.drop_factor,
          .drop_steps =
              options.drop_every > 0
                  ? std::max<std::int64_t>(
                        1, std::llround(std::min(options.drop_every * steps_per_epoch, kNever)))
                  : 0};
}

double RunSchedule::rate(std::int64_t step) const {
  if (step < frozen_steps) return learning_rate(frozen, step, frozen_steps);
  return learning_rate(schedule, step - frozen_steps, total_steps - frozen_steps);
}

RunSchedule run_schedule(const FitOptions& options, double steps_per_epoch,
                         std::int64_t total_steps) {
  // Two stages have a step each, where the run has two.
  const std::int64_t wanted =
      std::max<std::int64_t>(1, std::llround(options.freeze_epochs * steps_per_epoch));
  const std::int64_t frozen_steps =
      options.freeze_epochs > 0 ? std::min(wanted, std::max<std::int64_t>(1, total_steps - 1)) : 0;
  RunSchedule run{
      .frozen = schedule_options(options, steps_per_epoch, frozen_steps),
      .schedule = schedule_options(options, steps_per_epoch, total_steps - frozen_steps),
      .frozen_steps = frozen_steps,
      .total_steps = total_steps};
  if (options.freeze_lr > 0) run.frozen.lr = options.freeze_lr;
  return run;
}

PlateauOptions plateau_options(const FitOptions& options, bool higher_is_better) {
  return {.patience = options.plateau_patience,
          .cooldown = options.plateau_cooldown,
          .min_delta = options.min_delta,
          .drop_factor = options.drop_factor,
          .least = options.final_fraction,
          .higher_is_better = higher_is_better};
}

std::optional<std::string> limit_batch(std::int64_t pictures, FitOptions& options) {
  if (options.batch <= pictures) return std::nullopt;
  const std::string text = "--batch " + std::to_string(options.batch) + " is more than the " +
                           std::to_string(pictures) + " pictures of split " + options.split +
                           "; batches hold " + std::to_string(pictures);
  const int part = options.batch / options.accumulate;
  options.batch = static_cast<int>(pictures);
  options.accumulate = 1;
  while (options.batch % options.accumulate != 0 || options.batch / options.accumulate > part)
    ++options.accumulate;
  return text;
}

}  // namespace letterpress
