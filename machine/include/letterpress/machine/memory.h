#pragma once
#include <cstdint>
#include <filesystem>

namespace letterpress {

/// Bytes; 0 where it is not known.
struct MachineMemory {
  std::int64_t total = 0;
  std::int64_t available = 0;  ///< the kernel's estimate of what can be had without swapping
  std::int64_t cached = 0;     ///< holds files that were read or written (the page cache)
  std::int64_t limit = 0;      ///< the least of the process's control groups; 0: none
};
/// Of /proc/meminfo and /sys/fs/cgroup below `root`.
MachineMemory memory_of_machine(const std::filesystem::path& root = "/");

/// How far the page cache may grow: what is available, at most that limit.
std::int64_t memory_for_files(const MachineMemory& memory = memory_of_machine());

}  // namespace letterpress
