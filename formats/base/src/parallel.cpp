#include "letterpress/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
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
    for (std::size_t i = 1; i < std::min(wanted, (n + kGrain - 1) / kGrain); ++i)
      others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace letterpress
