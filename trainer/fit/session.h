#pragma once
#include "letterpress/base/clock.h"
#include "letterpress/base/stop_request.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

/// How long a run has taken, and who may end this session of it: a signal, or --time-budget.
class Session {
 public:
  static constexpr int kOutOfTime = 1;  ///< less than any signal

  /// Begins now. before_s: seconds of the sessions before it. `options` and `stop` outlive it.
  Session(const FitOptions& options, double before_s, const StopRequest& stop)
      : options_(options), stop_(stop), before_s_(before_s) {}

  double elapsed_s() const { return before_s_ + seconds_since(begin_); }  ///< of all sessions
  bool is_stopped() const { return static_cast<bool>(stop_); }            ///< by a signal
  bool is_out_of_time() const {
    return options_.time_budget > 0 && seconds_since(begin_) >= 60 * options_.time_budget;
  }
  /// 0, kOutOfTime, or the signal, which counts more than the clock. Collective: all ranks stop at
  /// the same step.
  int agreed_stop() const {
    const int own = stop_ ? stop_.signal() : is_out_of_time() ? kOutOfTime : 0;
    return options_.group ? static_cast<int>(options_.group->all_reduce_max(own)) : own;
  }

 private:
  const FitOptions& options_;
  const StopRequest& stop_;
  double before_s_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace letterpress
