#include <cmath>
#include <numbers>

#include "trainer/schedules/registry.h"

namespace letterpress {
namespace {

constexpr double kRise = 0.3;        // share of the run until lr is reached
constexpr double kStart = 1.0 / 25;  // of lr; both are the choice of fast.ai and PyTorch

double half_wave(double from, double to, double progress) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

double one_cycle_share(const ScheduleProgress& progress, const ScheduleOptions& options) {
  const double p = progress.share();
  return p < kRise ? half_wave(kStart, 1, p / kRise)
                   : half_wave(1, options.final_fraction, (p - kRise) / (1 - kRise));
}

}  // namespace

extern const ScheduleEntry one_cycle_schedule{
    "one-cycle",
    "half a cosine wave from lr / 25 up to lr in 3/10 of the run, then one down to final-fraction "
    "* lr (arXiv:1708.07120)",
    one_cycle_share};

}  // namespace letterpress
