#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

struct Processor {
  std::string name{};               ///< "AMD EPYC 7B13"; empty where it is not known
  int cores = 0;                    ///< of the machine, hyper-threads counted
  int usable = 0;                   ///< that this process may run on (taskset, cpuset)
  double share = 0;                 ///< cores' worth of time that the container grants (cgroup v2
                                    ///< cpu.max); 0: no limit
  std::vector<std::string> sets{};  ///< of avx2, avx512f, avx512_bf16 and amx_bf16 those it has
};
/// Of /proc/cpuinfo and /sys/fs/cgroup below `root`.
Processor processor_of_machine(const std::filesystem::path& root = "/");

}  // namespace letterpress
