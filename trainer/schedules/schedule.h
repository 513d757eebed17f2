#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/schedules/schedule_options.h"

namespace letterpress {

/// The learning rate of optimiser step `step` (from 0) of a run of `total_steps`: a pure function,
/// so that a resumed run and any world size agree. After the warm-up the schedule's shape runs over
/// progress (step - warmup_steps) / (total_steps - warmup_steps), 0..1; from total_steps on it
/// stays at its end. A run no longer than its warm-up is all warm-up. The drops of "plateau" depend
/// on the run's metrics and are not included: see Plateau. Throws Error (exit usage) for an unknown
/// name, listing the known ones, nearest first.
double learning_rate(const ScheduleOptions& options, std::int64_t step, std::int64_t total_steps);

}  // namespace letterpress
