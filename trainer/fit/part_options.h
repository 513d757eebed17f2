#pragma once
#include "trainer/fit/fit_options.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/optimisers/weight_average.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {

/// The parts of FitOptions as their owners want them.
OptimiserOptions optimiser_options(const FitOptions& options);
WeightAverageOptions average_options(const FitOptions& options);
/// Warm-up in steps, at most a tenth of the run.
ScheduleOptions schedule_options(const FitOptions& options, double steps_per_epoch, std::int64_t total_steps);

}  // namespace letterpress
