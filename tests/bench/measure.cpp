#include "tests/bench/measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "letterpress/commandline/program.h"

namespace letterpress {
namespace {

// Threads start their work together and the last one to end stops the clock. The first failure is
// thrown.
double seconds_of_pass(Benchmark& benchmark, int threads) {
  benchmark.begin_pass();
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::int64_t item = next++; item < benchmark.items() && !stop_by_signal(); item = next++)
        benchmark.run(item);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  const auto started = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
  if (failure) std::rethrow_exception(failure);
  return taken.count();
}

}  // namespace

Measurement measure(Benchmark& benchmark, const MeasureOptions& options) {
  std::vector<double> seconds;
  for (std::int64_t pass = 0; pass <= options.passes && (pass < 2 || !stop_by_signal()); ++pass)
    seconds.push_back(seconds_of_pass(benchmark, options.threads));
  seconds.erase(seconds.begin());
  std::sort(seconds.begin(), seconds.end());
  Measurement result;
  result.items_per_s = static_cast<double>(benchmark.items()) / seconds[seconds.size() / 2];
  result.bytes_per_s = result.items_per_s * static_cast<double>(benchmark.bytes_per_item());
  return result;
}

}  // namespace letterpress
