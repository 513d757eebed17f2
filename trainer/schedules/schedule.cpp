#include "trainer/schedules/schedule.h"

#include <algorithm>
#include <sstream>

#include "letterpress/base/error.h"
#include "trainer/schedules/registry.h"

namespace letterpress {
namespace {

template <typename Number>
void require(bool valid, const std::string& field, Number got, const std::string& wanted) {
  if (valid) return;
  std::ostringstream message;
  message << "schedule: " << field << " is " << got << ", must be " << wanted;
  throw Error(message.str(), Exit::usage);
}

}  // namespace

void validate(const ScheduleOptions& options) {
  find_schedule(options.name);
  require(options.lr > 0 && options.lr < 1e6, "lr", options.lr, "over 0 and under 1e6");
  require(options.final_fraction >= 0 && options.final_fraction <= 1, "final-fraction",
          options.final_fraction, "0..1, a share of lr");
  require(options.power > 0 && options.power <= 100, "power", options.power,
          "over 0 and at most 100");
  require(options.drop_factor > 0 && options.drop_factor < 1, "drop-factor", options.drop_factor,
          "over 0 and under 1");
  require(options.drop_steps >= 0, "drop_steps", options.drop_steps,
          "0 (a third of the run) or more");
  require(options.warmup_steps >= 0, "warmup_steps", options.warmup_steps,
          "0 (no warm-up) or more");
}

double learning_rate(const ScheduleOptions& options, std::int64_t step, std::int64_t total_steps) {
  const std::int64_t after = std::max<std::int64_t>(1, total_steps - options.warmup_steps);
  const std::int64_t done = std::clamp<std::int64_t>(step - options.warmup_steps, 0, after);
  const double rate = options.lr * find_schedule(options.name).share({done, after}, options);
  if (step >= options.warmup_steps) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(options.warmup_steps);
}

}  // namespace letterpress
