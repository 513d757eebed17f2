#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "trainer/device/device.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/losses/loss.h"
#include "trainer/optimisers/ema.h"
#include "trainer/optimisers/optimiser.h"
#include "trainer/schedules/plateau.h"
#include "trainer/schedules/schedule.h"

namespace letterpress {

/// The parts of FitOptions as their owners take them.
KernelChoice kernel_choice(const FitOptions& options);
/// Whether steps on `device` replay a graph: --cuda-graph.
bool replays_graph(const FitOptions& options, torch::Device device);
OptimiserOptions optimiser_options(const FitOptions& options);
EmaOptions ema_options(const FitOptions& options);
LossOptions loss_options(const FitOptions& options);
/// Least weight of a new batch in the norms' running statistics, for a run of `steps`: so large
/// that at its end they are those of its last weights, however few steps it has.
double least_norm_momentum(const FitOptions& options, std::int64_t steps);
/// Of one stage of total_steps.
ScheduleOptions schedule_options(const FitOptions& options, double steps_per_epoch,
                                 std::int64_t total_steps);

/// The learning rate of a run: in two stages one schedule after the other, each with its own
/// warm-up.
struct RunSchedule {
  ScheduleOptions frozen{}, schedule{};
  std::int64_t frozen_steps = 0;  ///< of stage one; 0: there is one stage only
  std::int64_t total_steps = 0;
  double rate(std::int64_t step) const;
};
RunSchedule run_schedule(const FitOptions& options, double steps_per_epoch,
                         std::int64_t total_steps);

/// Lowers the batch to `pictures` where it is more, in parts that are no larger than before.
/// Returns what to tell the user about it.
std::optional<std::string> limit_batch(std::int64_t pictures, FitOptions& options);

/// For schedule plateau.
PlateauOptions plateau_options(const FitOptions& options, bool higher_is_better);

}  // namespace letterpress
