#pragma once
#include <cstdint>
#include <optional>

#include "trainer/schedules/schedule.h"

namespace letterpress {

/// The best value of a metric so far, and the number of values since then without improvement.
/// Plain data, which a checkpoint keeps.
struct BestSoFar {
  std::optional<double> value{};
  std::int64_t stalled = 0;  ///< values since

  /// True when `metric` is better than the best by more than min_delta. The first value is; NaN
  /// never is.
  bool improved_by(double metric, bool higher_is_better, double min_delta);
};

struct PlateauOptions {
  std::int64_t patience = 10;  ///< epochs without improvement before the next one drops the rate;
                               ///< more for a noisy metric
  std::int64_t cooldown = 0;   ///< epochs after a drop that do not count
  double min_delta = 0;        ///< a metric must be better by more than this to count as improved
  double drop_factor = ScheduleOptions().drop_factor;  ///< 0..1
  double least = ScheduleOptions().final_fraction;     ///< the lowest reduction
  bool higher_is_better = true;                        ///< false for a loss
};

/// Reduces a learning rate when a metric stalls, as PyTorch's ReduceLROnPlateau with threshold_mode
/// "abs" does. Plain data, which a checkpoint keeps: a resumed run continues bit by bit.
struct Plateau {
  double reduction = 1;  ///< what the schedule's rate is multiplied by
  BestSoFar best{};
  std::int64_t cooling = 0;  ///< epochs of cooldown that are left

  /// Takes the metric of each epoch; returns true when it drops the rate.
  bool look(double metric, const PlateauOptions& options);
};

}  // namespace letterpress
