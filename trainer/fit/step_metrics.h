#pragma once
#include "trainer/fit/log/run_log.h"
#include "trainer/fit/log/step_clock.h"
#include "trainer/fit/step_loop.h"

namespace letterpress {

/// Losses and times of the steps, flushed from the device every --log-every steps, as reading it
/// waits.
class StepMetrics {
 public:
  /// All arguments outlive it.
  StepMetrics(Run& run, RunModel& model, RunLog& log);

  void count_step() { clock_.count_step(); }
  std::int64_t steps() const { return clock_.steps(); }  ///< of this session that were flushed
  /// What the steps since the last flush gave, into the sums of the epoch, the progress line and
  /// TensorBoard. Throws Diverged, naming the rows, when the loss is not finite or when no gradient
  /// was for many steps in a row; also when no box became a target for as many.
  void flush_metrics(RunReading& reading);
  /// What the epoch that ends with the run's step gave, without metrics.
  EpochResult epoch() const;
  /// The next steps are timed from now. validation_s: what the end of an epoch takes.
  void restart_clock(RunReading& reading, double validation_s);

 private:
  void check_skipped(std::int64_t steps, const LossLog& losses);
  void check_targets(const LossLog& losses);
  FitProgress progress(const std::vector<double>& sums, const StepClock::Window& window) const;

  Run& run_;
  RunModel& model_;
  RunLog& log_;
  StepClock clock_;
  double validation_s_ = 0;
  std::int64_t skipped_before_, skipped_ = 0;  ///< steps: of earlier sessions, of this one
  std::int64_t skipped_in_row_ = 0;
};

}  // namespace letterpress
