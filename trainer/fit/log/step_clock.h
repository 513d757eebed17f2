#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "letterpress/base/clock.h"

namespace letterpress {

/// Times the training of this session between flushes of the metrics.
class StepClock {
 public:
  using Now = std::function<Clock::time_point()>;
  struct Window {
    std::int64_t steps = 0;
    double seconds = 0, starved_s = 0;
  };
  explicit StepClock(Now now = Clock::now) : now_(std::move(now)) {}

  /// starved_s: of the feed so far, as DeviceFeed::starved_s().
  void restart(double starved_s) {
    begin_ = now_();
    starved_before_s_ = starved_s;
  }
  void count_step() { ++steps_; }
  /// What passed since the last flush or restart; the next window begins.
  Window flush(double starved_s) {
    const Window window{.steps = std::exchange(steps_, 0),
                        .seconds = std::chrono::duration<double>(now_() - begin_).count(),
                        .starved_s = starved_s - starved_before_s_};
    restart(starved_s);
    flushed_ += window.steps;
    if (window.steps > 0) keep(window);
    return window;
  }
  std::int64_t steps() const { return flushed_; }  ///< that were flushed
  /// Seconds of a step in the last minute of training, or in the last window when that is longer.
  /// At least one step was flushed.
  double step_s() const { return last_.seconds / static_cast<double>(last_.steps); }

 private:
  static constexpr double kLast_s = 60;

  void keep(const Window& window) {
    windows_.push_back(window);
    last_.steps += window.steps;
    last_.seconds += window.seconds;
    while (windows_.size() > 1 && last_.seconds - windows_.front().seconds >= kLast_s) {
      last_.steps -= windows_.front().steps;
      last_.seconds -= windows_.front().seconds;
      windows_.pop_front();
    }
  }

  Now now_;
  Clock::time_point begin_ = now_();
  double starved_before_s_ = 0;
  std::int64_t steps_ = 0, flushed_ = 0;
  std::deque<Window> windows_;  ///< the last ones that make up kLast_s
  Window last_;                 ///< their sum
};

}  // namespace letterpress
