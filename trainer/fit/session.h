#pragma once
#include "letterpress/base/clock.h"
#include "letterpress/base/stop_request.h"
#include "trainer/fit/options/fit_options.h"
#include "trainer/parallel/stop_agreement.h"

namespace letterpress {

/// How long a run has taken, and who may end this session of it: a signal, or --time-budget.
class Session {
 public:
  static constexpr int kOutOfTime = 1;  ///< less than what a signal is agreed as
  /// Of what agreed_stop() returned; 0 when it was none.
  static int signal_of(int stop) { return stop > kOutOfTime ? stop - kOutOfTime : 0; }

  /// Begins now. before_s: seconds of the sessions before it. `options` and `stop` outlive it.
  Session(const FitOptions& options, double before_s, const StopRequest& stop)
      : options_(options),
        stop_(stop),
        before_s_(before_s),
        agreement_(options.group,
                   options.group && options.group->runs_ahead() ? kBetweenQuestions_s : 0) {}

  double elapsed_s() const { return before_s_ + seconds_since(begin_); }  ///< of all sessions
  bool is_stopped() const { return static_cast<bool>(stop_); }            ///< by a signal
  bool is_out_of_time() const {
    return options_.time_budget > 0 && seconds_since(begin_) >= 60 * options_.time_budget;
  }
  /// 0, kOutOfTime, or what signal_of() knows, which counts more than the clock. Collective: all
  /// ranks stop after the same step. On CUDA that is about half a second after the one at which one
  /// of them wants to, or the next step where one takes longer; while hosts still get ahead of
  /// their devices, at the beginning, up to four steps later.
  int agreed_stop_after_step() {
    return static_cast<int>(agreement_.after_step(own_stop(), seconds_since(begin_)));
  }
  /// The same without delay.
  int agreed_stop() const { return static_cast<int>(agreement_.now(own_stop())); }

 private:
  static constexpr double kBetweenQuestions_s = 0.5;
  int own_stop() const {
    return stop_ ? kOutOfTime + stop_.signal() : is_out_of_time() ? kOutOfTime : 0;
  }

  const FitOptions& options_;
  const StopRequest& stop_;
  double before_s_;
  StopAgreement agreement_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace letterpress
