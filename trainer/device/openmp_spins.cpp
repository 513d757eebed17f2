#include "trainer/device/openmp_spins.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <latch>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "letterpress/base/clock.h"
#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/parallel.h"
#include "letterpress/base/stopped_within.h"

namespace letterpress {
namespace {

constexpr std::chrono::milliseconds kLook{200};
// Looks in a row that find the cores free: a program that pauses is not gone.
constexpr int kCalm = 10;
constexpr double kSharedWait = 0.3, kOwnWaitOnCore = 0.03;

/// No thread where there is none to be had.
std::jthread start(void (*work)(const std::stop_token&)) {
  try {
    return std::jthread(work);
  } catch (const std::system_error&) {
    return {};
  }
}

/// libgomp ends the process when it cannot start a thread.
bool can_start(int threads) {
  try {
    require_threads(threads);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Where OpenMP is libgomp, as its manual and OpenMP's standard have them. Others that have its
/// names have a time instead of turns, and the first of these functions.
struct Libgomp {
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  int (*cores)() = nullptr;

  static Libgomp loaded() {
    const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
    if (find("kmp_set_blocktime")) return {};
    return {reinterpret_cast<decltype(parallel)>(find("GOMP_parallel")),
            reinterpret_cast<decltype(cores)>(find("omp_get_num_procs"))};
  }
  bool is_there() const { return parallel && cores; }
};

/// Threads of a parallel region that does nothing: they sleep until this thread ends.
void hold_threads(const std::stop_token& stop) {
  const Libgomp libgomp = Libgomp::loaded();
  if (!libgomp.is_there()) return;
  const int held = libgomp.cores() + 1;
  if (!can_start(held)) return;
  libgomp.parallel([](void*) {}, nullptr, static_cast<unsigned>(held), 0);
  while (!stopped_within(std::chrono::hours(1), stop)) {
  }
}

class CoreWaits {
 public:
  /// Of all threads, seconds per second since the last call; infinite where the kernel does not
  /// tell.
  double per_second() {
    const double waited = waited_for_cores_s();
    const double rate = (waited - waited_) / seconds_since(at_);
    waited_ = waited, at_ = Clock::now();
    return waited < 0 ? std::numeric_limits<double>::infinity() : rate;
  }

 private:
  double waited_ = waited_for_cores_s();
  Clock::time_point at_ = Clock::now();
};

void limit_spins(const std::stop_token& stop) {
  const int cores = Libgomp::loaded().cores();
  CoreWaits waits;
  std::optional<IdleTeam> team;
  for (int calm = 0; !stopped_within(kLook, stop);) {
    const bool shared = cores_are_shared(waits.per_second(), cores);
    calm = shared ? 0 : calm + 1;
    if (shared && !team) team.emplace();
    if (calm == kCalm) team.reset();
  }
}

}  // namespace

IdleTeam::IdleTeam() : holder_(start(hold_threads)) {}

double waited_for_cores_s() {
  std::int64_t sum = 0;
  bool told = false;
  const std::string threads = "/proc/self/task";
  try {
    visit_entries_if_any(threads, [&](std::string_view thread, unsigned char) {
      std::int64_t ran = 0, waited = 0;
      // A thread that ended meanwhile waits no more.
      std::ifstream(threads + "/" + std::string(thread) + "/schedstat") >> ran >> waited;
      sum += waited;
      told = told || ran > 0;  // without its accounting Linux says zeros
    });
  } catch (const Error&) {
    return -1;  // no descriptor is left, for instance
  }
  return told ? static_cast<double>(sum) * 1e-9 : -1;
}

bool cores_are_shared(double waited, int cores) noexcept {
  return waited > std::max(kSharedWait, kOwnWaitOnCore * cores);
}

void limit_openmp_spins() {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  if (!Libgomp::loaded().is_there()) return;
  static const std::jthread limiting = start(limit_spins);
}

}  // namespace letterpress
