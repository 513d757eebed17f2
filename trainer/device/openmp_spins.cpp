#include "trainer/device/openmp_spins.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kLook{200};
// Looks in a row that find the cores free: a program that pauses is not gone.
constexpr int kCalm = 10;
constexpr double kSharedWait = 0.3, kOwnWaitOfThread = 0.03;

/// Until the time is over or a stop is requested: then true.
bool stopped_within(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any requested;
  std::unique_lock lock(mutex);
  requested.wait_for(lock, stop, time, [] { return false; });
  return stop.stop_requested();
}

template <typename Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// libgomp ends the process when it cannot start a thread.
bool can_start(int threads) {
  std::latch tried(1);
  std::vector<std::jthread> started;
  try {
    for (int i = 0; i < threads; ++i) started.emplace_back([&tried] { tried.wait(); });
  } catch (const std::system_error&) {
  }
  tried.count_down();
  return static_cast<int>(started.size()) == threads;
}

/// Threads of a parallel region that does nothing: they sleep until this thread ends.
void hold_threads(const std::stop_token& stop, int threads) {
  // By libgomp's manual, "Implementing PARALLEL construct", and OpenMP's standard.
  const auto parallel = loaded<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  const auto cores = loaded<int()>("omp_get_num_procs");
  if (!parallel || !cores) return;
  // The holder counts as one more, so that a team of two exceeds the cores by one.
  const int held = std::max(2, cores() - threads + 2);
  if (!can_start(held)) return;
  parallel([](void*) {}, nullptr, static_cast<unsigned>(held), 0);
  while (!stopped_within(std::chrono::hours(1), stop)) {
  }
}

class CoreWaits {
 public:
  /// Of all threads, seconds per second since the last call; infinite where the kernel does not
  /// tell.
  double per_second() {
    const double waited = waited_for_cores_s();
    const auto now = Clock::now();
    const double added = waited - waited_,
                 seconds = std::chrono::duration<double>(now - at_).count();
    waited_ = waited, at_ = now;
    return waited < 0 ? std::numeric_limits<double>::infinity() : added / seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double waited_ = waited_for_cores_s();
  Clock::time_point at_ = Clock::now();
};

class SpinLimit {
 public:
  void set_threads(int threads) { threads_ = threads; }

 private:
  void look(const std::stop_token& stop) {
    std::optional<IdleTeam> team;
    for (int calm = 0; !stopped_within(kLook, stop);) {
      const bool shared = cores_are_shared(waits_.per_second(), threads_);
      calm = shared ? 0 : calm + 1;
      if (shared && !team) team.emplace(threads_);
      if (calm == kCalm) team.reset();
    }
  }

  CoreWaits waits_;
  std::atomic<int> threads_{1};
  std::jthread looking_{[this](std::stop_token stop) { look(stop); }};
};

}  // namespace

IdleTeam::IdleTeam(int threads) {
  if (can_start(1)) holder_ = std::jthread(hold_threads, threads);
}

double waited_for_cores_s() {
  std::int64_t sum = 0;
  bool told = false;
  std::error_code ended;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ended)) {
    std::int64_t ran = 0, waited = 0;
    // A thread that ended meanwhile waits no more.
    if (!(std::ifstream(thread.path() / "schedstat") >> ran >> waited)) continue;
    sum += waited, told = true;
  }
  return told ? static_cast<double>(sum) * 1e-9 : -1;
}

bool cores_are_shared(double waited, int threads) noexcept {
  return waited > std::max(kSharedWait, kOwnWaitOfThread * threads);
}

void limit_openmp_spins(int threads) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  static SpinLimit limit;
  limit.set_threads(threads);
}

}  // namespace letterpress
