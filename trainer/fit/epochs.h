#pragma once
#include <cstdint>

namespace letterpress {

/// Where a run stands in the endless stream: samples, steps of `batch` samples, epochs of `samples` samples. All whole numbers, so that a
/// resumed run and any number of ranks agree. A step may end several epochs when batch > samples.
struct EpochPlan {
  std::int64_t samples = 1;  ///< pictures of the train split
  std::int64_t batch = 1;    ///< samples per step, over all ranks
  std::int64_t epochs = 1;   ///< of the run

  /// The run ends with the first step that has seen every sample `epochs` times.
  std::int64_t total_steps() const { return (epochs * samples + batch - 1) / batch; }
  /// Whole epochs seen after `steps` steps; at most `epochs`.
  std::int64_t epochs_after(std::int64_t steps) const {
    const std::int64_t whole = steps * batch / samples;
    return whole < epochs ? whole : epochs;
  }
  double steps_per_epoch() const { return static_cast<double>(samples) / static_cast<double>(batch); }
};

}  // namespace letterpress
