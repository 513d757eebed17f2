#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace letterpress {

/// Waits until the time is over or a stop is requested, and returns whether one is: between the
/// rounds of a thread that goes on until its std::jthread ends.
inline bool stopped_within(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any requested;
  std::unique_lock lock(mutex);
  return requested.wait_for(lock, stop, time, [&stop] { return stop.stop_requested(); });
}

}  // namespace letterpress
