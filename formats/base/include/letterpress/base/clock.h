#pragma once
#include <chrono>

namespace letterpress {

/// Steady: it does not jump when the time of day is set.
using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace letterpress
