#pragma once
#include <cstdint>

namespace letterpress {

/// Where a run stands in the endless stream: samples, steps of `batch` samples, epochs of `samples`
/// samples. All whole numbers, so that a resumed run and any number of ranks agree. A step may end
/// several epochs when batch > samples.
struct EpochPlan {
  std::int64_t samples = 1;  ///< that an epoch has
  std::int64_t batch = 1;    ///< samples per step, over all ranks
  std::int64_t epochs = 1;   ///< of the run
  std::int64_t first_step =
      0;  ///< steps done when the pictures became these; those before had other epochs
  std::int64_t first_epoch = 0;  ///< epochs done by then

  /// In the stream of these pictures, of the first sample after `steps` steps.
  std::int64_t position(std::int64_t steps) const {
    return first_epoch * samples + (steps - first_step) * batch;
  }
  /// The run ends with the first step that has seen every sample `epochs` times.
  std::int64_t total_steps() const {
    return first_step + ((epochs - first_epoch) * samples + batch - 1) / batch;
  }
  /// Where a schedule is after `steps` steps: as many as there had been if all epochs had these
  /// pictures. `steps` itself while they are the first ones.
  std::int64_t schedule_step(std::int64_t steps) const { return position(steps) / batch; }
  std::int64_t schedule_steps() const { return (epochs * samples + batch - 1) / batch; }
  /// Whole epochs seen after `steps` steps; at most `epochs`.
  std::int64_t epochs_after(std::int64_t steps) const {
    const std::int64_t whole = position(steps) / samples;
    return whole < epochs ? whole : epochs;
  }
  double steps_per_epoch() const {
    return static_cast<double>(samples) / static_cast<double>(batch);
  }
};

}  // namespace letterpress
