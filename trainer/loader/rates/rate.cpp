#include "trainer/loader/rates/rate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "letterpress/base/clock.h"

namespace letterpress {

Rate rate_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

std::int64_t repeats_to_last(double seconds) {
  constexpr double kShortest_s = 0.05, kMost = 50'000;
  return std::llround(std::clamp(std::ceil(kShortest_s / seconds), 1.0, kMost));
}

double seconds_of(int threads, std::int64_t items,
                  const std::function<void(int thread, std::int64_t item)>& work) {
  std::atomic<std::int64_t> next = 0;
  const auto run = [&](int thread) {
    for (std::int64_t item = next++; item < items; item = next++) work(thread, item);
  };
  const Clock::time_point begin = Clock::now();
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
  }
  return seconds_since(begin);
}

}  // namespace letterpress
