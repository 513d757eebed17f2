#include "trainer/schedules/registry.h"

#include <array>

#include "letterpress/base/registry.h"

namespace letterpress {

extern const ScheduleEntry constant_schedule, cosine_schedule, linear_schedule, one_cycle_schedule,
    plateau_schedule, polynomial_schedule, step_schedule;

static constexpr std::array entries{&constant_schedule,  &cosine_schedule,  &linear_schedule,
                                    &one_cycle_schedule, &plateau_schedule, &polynomial_schedule,
                                    &step_schedule};

const ScheduleEntry& find_schedule(const std::string& name) {
  return find_entry(entries, "schedule", name);
}

std::vector<EntryInfo> schedule_infos() { return infos_of(entries); }

}  // namespace letterpress
