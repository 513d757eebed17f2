#include "letterpress/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

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

// A container may see its group at the mount though its path is the host's, which is not there.
double granted_from(const fs::path& mount, const fs::path& group) {
  fs::path folder = group.relative_path().lexically_normal();
  if (!folder.empty() && *folder.begin() == "..") folder.clear();
  double granted = granted_by(mount / folder);
  while (!folder.empty()) {
    folder = folder.parent_path();
    granted = least_of(granted, granted_by(mount / folder));
  }
  return granted;
}

// "0::/a" of version 2, "4:cpu,cpuacct:/a" of version 1: where groups that limit a CPU's time lie.
std::vector<std::string> mounts_of(const std::string& controllers) {
  if (controllers.empty()) return {""};
  if (("," + controllers + ",").find(",cpu,") == std::string::npos) return {};
  return {"cpu", controllers};
}

}  // namespace

double granted_cores(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  double granted = granted_by(mount);
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    for (const std::string& name : mounts_of(line.substr(first + 1, second - first - 1)))
      granted = least_of(granted, granted_from(mount / name, line.substr(second + 1)));
  }
  return granted;
}

int within_grant(int cores, double granted) noexcept {
  return granted > 0 && granted < cores ? static_cast<int>(std::ceil(granted)) : cores;
}

int available_cores(const fs::path& root) {
  return within_grant(bound_cores(), granted_cores(root));
}

}  // namespace letterpress
