#pragma once
#include "trainer/fit/options/fit_options.h"
#include "trainer/schedules/plot.h"

namespace letterpress {

/// The learning rate that a run with these options would have at every step: of the store only the
/// number of pictures is read, nothing is written, `out` may be empty. Throws Error as Trainer
/// does.
SchedulePlot schedule_plot(FitOptions options);

}  // namespace letterpress
