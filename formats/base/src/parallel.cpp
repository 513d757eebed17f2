#include "letterpress/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "letterpress/base/cores.h"

namespace letterpress {

void parallel_for(std::size_t n, int threads, const std::function<void(std::size_t)>& task) {
  constexpr std::size_t kGrain = 16;
  const std::size_t wanted =
      threads > 0 ? static_cast<std::size_t>(threads) : static_cast<std::size_t>(available_cores());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t first = next.fetch_add(kGrain); first < n; first = next.fetch_add(kGrain)) {
        for (std::size_t i = first; i < std::min(first + kGrain, n); ++i) task(i);
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < std::min(wanted, (n + kGrain - 1) / kGrain); ++i)
        others.emplace_back(work);
    } catch (const std::system_error&) {
      // Those that could be started do all of it.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

void require_threads(int n) {
  std::latch all_tried(1);
  std::vector<std::jthread> started;
  const struct Release {
    std::latch& latch;
    ~Release() { latch.count_down(); }  // whatever is thrown, or the threads would be waited for
  } release{all_tried};
  try {
    for (int i = 0; i < n; ++i) started.emplace_back([&] { all_tried.wait(); });
  } catch (const std::system_error& error) {
    if (auto shortage = thread_shortage(error)) throw *shortage;
    throw;
  }
}

std::optional<Error> thread_shortage(const std::exception& failure) {
  const auto* const error = dynamic_cast<const std::system_error*>(&failure);
  if (!error || error->code() != std::errc::resource_unavailable_try_again) return std::nullopt;
  return Error({.where = "a thread",
                .what = "cannot be started: " + error->code().message(),
                .fix = "raise the limit of processes (ulimit -u, or the container's limit of "
                       "pids) or of memory (ulimit -v), or give fewer --threads"},
               Exit::io);
}

}  // namespace letterpress
