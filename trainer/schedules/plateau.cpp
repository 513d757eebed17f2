#include "trainer/schedules/plateau.h"

#include <algorithm>

#include "trainer/schedules/registry.h"

namespace letterpress {

bool BestSoFar::improved_by(double metric, bool higher_is_better, double min_delta) {
  const bool better =
      metric == metric &&
      (!value || (higher_is_better ? metric > *value + min_delta : metric < *value - min_delta));
  if (better) value = metric;
  stalled = better ? 0 : stalled + 1;
  return better;
}

bool Plateau::look(double metric, const PlateauOptions& options) {
  best.improved_by(metric, options.higher_is_better, options.min_delta);
  if (cooling > 0) {
    --cooling;
    best.stalled = 0;
  }
  if (best.stalled <= options.patience) return false;
  const double before = reduction;
  reduction = std::max(options.least, reduction * options.drop_factor);
  cooling = options.cooldown;
  best.stalled = 0;
  return reduction < before;
}

extern const ScheduleEntry plateau_schedule{
    "plateau", "lr, multiplied by drop-factor whenever the monitored metric stalls",
    [](const ScheduleProgress&, const ScheduleOptions&) { return 1.0; }};

}  // namespace letterpress
