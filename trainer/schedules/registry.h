#pragma once
#include "trainer/schedules/schedule.h"

namespace letterpress {

/// A schedule in the table: one file that ends in its entry, one line in registry.cpp, one test.
struct ScheduleEntry {
  const char* name;
  const char* help;
  double (*share)(double progress, const ScheduleOptions& options);  ///< of lr, at progress 0..1 after the warm-up; 1 at progress 0
};

/// Throws Error listing the known ones, nearest first.
const ScheduleEntry& find_schedule(const std::string& name);

}  // namespace letterpress
