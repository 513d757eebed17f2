#pragma once
#include <atomic>
#include <chrono>

namespace letterpress {

/// Signals within it ask once: timeout(1) signals its child and then the child's group, a terminal
/// a script and what the script runs.
inline constexpr std::chrono::seconds kOneRequest{1};

/// Asks long work to end soon: it looks at this between pictures or steps, leaves what it has
/// finished whole, and says so in its result. Owned by who may ask (main, for signals; a test),
/// handed down by reference. Thread-safe, and safe in a signal handler.
class StopRequest {
 public:
  /// Returns what was asked for before.
  int make(int signal) noexcept { return signal_.exchange(signal); }
  /// SIGINT or SIGTERM, 0 while nobody asks. Exit code: 128 + signal.
  int signal() const noexcept { return signal_.load(); }
  explicit operator bool() const noexcept { return signal() != 0; }

 private:
  std::atomic<int> signal_{0};
};

}  // namespace letterpress
