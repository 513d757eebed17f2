#include "trainer/schedules/registry.h"

namespace letterpress {

extern const ScheduleEntry constant_schedule{
    "constant", "lr throughout",
    [](const ScheduleProgress&, const ScheduleOptions&) { return 1.0; }};

}  // namespace letterpress
