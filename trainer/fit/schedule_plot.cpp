#include "trainer/fit/schedule_plot.h"

#include "trainer/fit/opening/epoch_plan.h"
#include "trainer/fit/opening/open_store.h"
#include "trainer/fit/options/derived_options.h"

namespace letterpress {

SchedulePlot schedule_plot(FitOptions options) {
  if (options.out.empty()) options.out = ".";
  validate(options);
  const Store store = Store::open(options.store);
  const SnapshotReader reader(store, choose_snapshot(store, options.snapshot, nullptr));
  const auto pictures =
      static_cast<std::int64_t>(some_pictures_of(store, reader, options.split).size());
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
    plot.title += "; its drops come when the figure stalls and are not shown";
  return plot;
}

}  // namespace letterpress
