#include "trainer/fit/part_options.h"

#include <algorithm>

namespace letterpress {

OptimiserOptions optimiser_options(const FitOptions& options) {
  return {.name = options.optimiser,
          .momentum = options.momentum,
          .nesterov = options.momentum > 0,
          .weight_decay = options.weight_decay,
          .clip_norm = options.clip};
}

WeightAverageOptions average_options(const FitOptions& options) { return {.decay = options.ema}; }

ScheduleOptions schedule_options(const FitOptions& options, double steps_per_epoch, std::int64_t total_steps) {
  const auto wanted = static_cast<std::int64_t>(options.warmup * steps_per_epoch + 0.5);
  return {.name = options.schedule,
          .lr = learning_rate_of(options),
          .final_fraction = options.final_fraction,
          .warmup_steps = std::min(wanted, total_steps / 10)};
}

}  // namespace letterpress
