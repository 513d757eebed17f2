#include <cmath>

#include "trainer/schedules/registry.h"

namespace letterpress {

extern const ScheduleEntry polynomial_schedule{
    "polynomial", "from lr to final-fraction * lr as (1 - progress) ^ power",
    [](const ScheduleProgress& progress, const ScheduleOptions& options) {
      return options.final_fraction +
             (1 - options.final_fraction) * std::pow(1 - progress.share(), options.power);
    }};

}  // namespace letterpress
