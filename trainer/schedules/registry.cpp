#include "trainer/schedules/registry.h"

#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {

extern const ScheduleEntry constant_schedule, cosine_schedule, linear_schedule;

static constexpr std::array entries{&constant_schedule, &cosine_schedule, &linear_schedule};

const ScheduleEntry& find_schedule(const std::string& name) {
  for (const ScheduleEntry* entry : entries)
    if (entry->name == name) return *entry;
  std::vector<std::string> known;
  for (const ScheduleEntry* entry : entries) known.push_back(entry->name);
  throw Error(unknown_name("schedule", name, known), Exit::usage);
}

std::vector<ScheduleInfo> schedule_infos() {
  std::vector<ScheduleInfo> infos;
  for (const ScheduleEntry* entry : entries) infos.push_back({entry->name, entry->help});
  return infos;
}

}  // namespace letterpress
