#pragma once
#include <cstdint>
#include <string>

#include "trainer/schedules/schedule_options.h"

namespace letterpress {

/// How far a run is after its warm-up.
struct ScheduleProgress {
  std::int64_t step = 0;   ///< 0..steps
  std::int64_t steps = 1;  ///< >= 1
  double share() const { return static_cast<double>(step) / static_cast<double>(steps); }
};

/// A schedule in the table: one file that ends in its entry, one line in registry.cpp, one test.
struct ScheduleEntry {
  const char* name;
  const char* help;
  double (*share)(const ScheduleProgress& progress,
                  const ScheduleOptions& options);  ///< of lr, 0..1
};

/// Throws Error listing the known ones, nearest first.
const ScheduleEntry& find_schedule(const std::string& name);

}  // namespace letterpress
