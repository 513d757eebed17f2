#pragma once
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

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
  /// SIGINT, SIGTERM or SIGHUP, 0 while nobody asks. Exit code: 128 + signal.
  int signal() const noexcept { return signal_.load(); }
  explicit operator bool() const noexcept { return signal() != 0; }

 private:
  std::atomic<int> signal_{0};
};

/// Those that ask this process to stop: SIGINT, SIGTERM and, unless it is ignored as nohup(1) has
/// it, SIGHUP, which a terminal sends that is closed.
std::vector<int> signals_that_stop();
/// "SIGTERM".
std::string name_of_signal(int signal);

}  // namespace letterpress
