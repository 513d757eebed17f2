#pragma once
#include <filesystem>

namespace letterpress {

/// Cores that this process may use, at least 1: the machine's, or those that taskset, Slurm, mpirun
/// or a container's cpuset bound it to, and no more than granted_cores(), rounded up: threads
/// beyond that only wait for the next period. std::thread::hardware_concurrency() knows of neither
/// on some systems. root: where /proc and /sys lie.
int available_cores(const std::filesystem::path& root = "/");

/// Cores' worth of time that the control groups grant this process (`docker --cpus`, systemd's
/// CPUQuota): the least of its own group and those above it, by cpu.max of version 2 and
/// cpu.cfs_quota_us of version 1. 0: no limit.
double granted_cores(const std::filesystem::path& root = "/");
/// `cores`, or as many as `granted` of them make up, rounded up, at least 1. granted: as
/// granted_cores().
int within_grant(int cores, double granted) noexcept;

}  // namespace letterpress
