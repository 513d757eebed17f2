#pragma once
#include <map>
#include <mutex>

#include "trainer/loader/batch_loader.h"

namespace letterpress {

/// A disk that takes `row_time` per row, for a loader with one reader thread, and a consumer whose
/// only work is sleep(). No time passes: each row gets the time at which such a disk would have
/// read it, so a test ends at once and measures the same in every run.
class SimulatedDisk : public LoaderClock {
 public:
  using Seconds = std::chrono::duration<double>;

  /// batch: rows of a batch. The loader's options point to this object, which outlives the loader.
  SimulatedDisk(Seconds row_time, LoaderOptions& options)
      : row_time_(ticks(row_time)), batch_(options.batch) {
    options.threads = 1;
    options.clock = this;
    options.before_read = [this](const RowPlace&) { read_row(); };
  }

  Clock::time_point now() override { return now_; }
  void sleep(Seconds time) override { now_ += ticks(time); }

  void planned(std::int64_t batch) override {
    const std::lock_guard lock(mutex_);
    if (batch == 0) {  // a new loader
      planned_.clear();
      ready_.clear();
      rows_ = 0;
      disk_ = now_;
    }
    planned_[batch] = now_;
  }

  Clock::time_point arrived(std::int64_t batch) override {
    const std::lock_guard lock(mutex_);
    return now_ = std::max(now_, ready_.at(batch));
  }

  void read_row() {
    const std::lock_guard lock(mutex_);
    const std::int64_t batch = rows_++ / batch_;
    disk_ = std::max(disk_, planned_.at(batch)) + row_time_;
    ready_[batch] = disk_;
  }

 private:
  static Clock::duration ticks(Seconds time) {
    return std::chrono::duration_cast<Clock::duration>(time);
  }

  const Clock::duration row_time_;
  const int batch_;
  std::mutex mutex_;
  Clock::time_point now_{};   ///< the consumer's
  Clock::time_point disk_{};  ///< when the last row was read
  std::map<std::int64_t, Clock::time_point> planned_, ready_;
  std::int64_t rows_ = 0;
};

}  // namespace letterpress
