#include <algorithm>
#include <cmath>

#include "trainer/schedules/registry.h"

namespace letterpress {
namespace {

double step_share(const ScheduleProgress& progress, const ScheduleOptions& options) {
  // A third of the run is rounded up, so that there are two drops and not a third one at the very
  // end.
  const std::int64_t drop_steps = options.drop_steps > 0
                                      ? options.drop_steps
                                      : std::max<std::int64_t>(1, (progress.steps + 2) / 3);
  return std::pow(options.drop_factor, static_cast<double>(progress.step / drop_steps));
}

}  // namespace

extern const ScheduleEntry step_schedule{
    "step", "lr, multiplied by drop-factor after every drop-every epochs", step_share};

}  // namespace letterpress
