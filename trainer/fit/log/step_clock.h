#pragma once
#include <cstdint>
#include <utility>

#include "letterpress/base/clock.h"

namespace letterpress {

/// Times the training of this session between flushes of the metrics.
class StepClock {
 public:
  struct Window {
    std::int64_t steps = 0;
    double seconds = 0, starved_s = 0;
  };
  /// starved_s: of the feed so far, as DeviceFeed::starved_s().
  void restart(double starved_s) {
    begin_ = Clock::now();
    starved_before_s_ = starved_s;
  }
  void count_step() { ++steps_; }
  /// What passed since the last flush or restart; the next window begins.
  Window flush(double starved_s) {
    const Window window{.steps = std::exchange(steps_, 0),
                        .seconds = seconds_since(begin_),
                        .starved_s = starved_s - starved_before_s_};
    restart(starved_s);
    all_.steps += window.steps;
    if (window.steps > 0) all_.seconds += window.seconds;
    return window;
  }
  std::int64_t steps() const { return all_.steps; }  ///< that were flushed
  double step_s() const { return all_.seconds / static_cast<double>(all_.steps); }

 private:
  Clock::time_point begin_ = Clock::now();
  double starved_before_s_ = 0;
  std::int64_t steps_ = 0;
  Window all_;
};

}  // namespace letterpress
