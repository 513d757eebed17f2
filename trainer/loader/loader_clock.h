#pragma once
#include <cstdint>
#include <thread>

#include "letterpress/base/clock.h"

namespace letterpress {

/// The steady clock, by which a loader's waiting and rates are measured. A test that simulates a
/// slow disk or a slow consumer puts a clock of its own in its place, so that no time has to pass.
/// Only the consumer's thread calls it.
class LoaderClock {
 public:
  virtual ~LoaderClock() = default;
  virtual Clock::time_point now() { return Clock::now(); }
  virtual void sleep(std::chrono::duration<double> time) { std::this_thread::sleep_for(time); }
  /// The readers may read `batch` from now on. Batches count from 0 in each loader.
  virtual void planned(std::int64_t) {}
  /// Returns when the consumer got `batch`, which is read by now.
  virtual Clock::time_point arrived(std::int64_t) { return Clock::now(); }
};

}  // namespace letterpress
