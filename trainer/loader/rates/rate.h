#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace letterpress {

/// Several measurements of one rate.
struct Rate {
  double median = 0, low = 0, high = 0;  ///< per second
};
Rate rate_of(std::vector<double> values);  ///< at least one

/// How often to repeat what took `seconds` once, so that the time can be measured on a busy
/// machine: 0.05 s or more.
std::int64_t repeats_to_last(double seconds);

/// Runs `work(thread, item)` for each item on that many threads; returns the seconds it took.
double seconds_of(int threads, std::int64_t items,
                  const std::function<void(int thread, std::int64_t item)>& work);

}  // namespace letterpress
