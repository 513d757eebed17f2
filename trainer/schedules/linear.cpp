#include "trainer/schedules/registry.h"

namespace letterpress {

extern const ScheduleEntry linear_schedule{
    "linear", "a straight line from lr to final-fraction * lr",
    [](const ScheduleProgress& progress, const ScheduleOptions& options) {
      return 1 - progress.share() * (1 - options.final_fraction);
    }};

}  // namespace letterpress
