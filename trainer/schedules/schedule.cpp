#include "trainer/schedules/schedule.h"

#include <algorithm>

#include "trainer/schedules/registry.h"

namespace letterpress {

double learning_rate(const ScheduleOptions& options, std::int64_t step, std::int64_t total_steps) {
  const std::int64_t after = std::max<std::int64_t>(1, total_steps - options.warmup_steps);
  const std::int64_t done = std::clamp<std::int64_t>(step - options.warmup_steps, 0, after);
  const double rate = options.lr * find_schedule(options.name).share({done, after}, options);
  if (step >= options.warmup_steps) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(options.warmup_steps);
}

}  // namespace letterpress
