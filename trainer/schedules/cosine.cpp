#include <cmath>
#include <numbers>

#include "trainer/schedules/registry.h"

namespace letterpress {

extern const ScheduleEntry cosine_schedule{
    "cosine",
    "half a cosine wave from lr to final-fraction * lr (arXiv:1608.03983, without restarts)",
    [](const ScheduleProgress& progress, const ScheduleOptions& options) {
      return options.final_fraction +
             (1 - options.final_fraction) * (1 + std::cos(std::numbers::pi * progress.share())) / 2;
    }};

}  // namespace letterpress
