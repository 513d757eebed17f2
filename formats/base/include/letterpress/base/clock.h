#pragma once
#include <chrono>

namespace letterpress {

/// Goes on evenly, also when somebody sets the time of day.
using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace letterpress
