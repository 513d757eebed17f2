#include "trainer/fit/schedule_plot.h"

#include "trainer/fit/opening/epoch_plan.h"
#include "trainer/fit/opening/opened_split.h"
#include "trainer/fit/options/derived_options.h"

namespace letterpress {

SchedulePlot schedule_plot(FitOptions options) {
  validate_but_out(options);
  const OpenedSplit split = open_split(options.store, options.snapshot, options.split);
  const auto pictures = static_cast<std::int64_t>(split.pictures.size());
  limit_batch(pictures, options);
  const EpochPlan plan{pictures, options.batch, options.epochs};
  const RunSchedule run = run_schedule(options, plan.steps_per_epoch(), plan.total_steps());
  SchedulePlot plot{.title = "learning rate: " + options.schedule + ", " +
                             std::to_string(plan.total_steps()) + " steps of " +
                             std::to_string(options.batch) + " pictures in " +
                             std::to_string(plan.epochs) + " epochs",
                    .rates = {},
                    .steps_per_epoch = plan.steps_per_epoch()};
  for (std::int64_t step = 0; step < plan.total_steps(); ++step)
    plot.rates.push_back(run.rate(step));
  if (options.schedule == "plateau")
    plot.title += "; its drops come when the metric stalls and are not shown";
  return plot;
}

}  // namespace letterpress
