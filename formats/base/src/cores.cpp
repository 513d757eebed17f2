#include "letterpress/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "letterpress/base/control_groups.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

int bound_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // Fails on machines of more than 1,024 cores.
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Microseconds per period. No limit is "max 100000" in version 2 and -1 in version 1.
double granted_by(const fs::path& group) {
  double quota = 0, period = 0;
  if (!(std::ifstream(group / "cpu.max") >> quota >> period)) {
    std::ifstream(group / "cpu.cfs_quota_us") >> quota;
    std::ifstream(group / "cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : 0;
}

double least_of(double granted, double other) {
  return granted > 0 && other > 0 ? std::min(granted, other) : std::max(granted, other);
}

}  // namespace

double granted_cores(const fs::path& root) {
  double granted = 0;
  for (const fs::path& group : control_groups("cpu", root))
    granted = least_of(granted, granted_by(group));
  return granted;
}

int within_grant(int cores, double granted) noexcept {
  return granted > 0 && granted < cores ? static_cast<int>(std::ceil(granted)) : cores;
}

int available_cores(const fs::path& root) {
  return within_grant(bound_cores(), granted_cores(root));
}

}  // namespace letterpress
