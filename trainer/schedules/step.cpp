#include <cmath>

#include "trainer/schedules/registry.h"

namespace letterpress {
namespace {

double share(const ScheduleProgress& progress, const ScheduleOptions&) {
  // A third of a run that 3 does not divide is rounded up, so that there are two drops and no third one at the very end.
  const std::int64_t third = (progress.steps + 2) / 3;
  return std::pow(0.1, static_cast<double>(progress.step / third));
}

}  // namespace

extern const ScheduleEntry step_schedule{"step", "lr, a tenth of it after each third of the run", share};

}  // namespace letterpress
