#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

struct Processor {
  std::string name{};               ///< "AMD EPYC 7B13"; empty where it is not known
  int cores = 0;                    ///< of the machine, hyper-threads counted
  int usable = 0;                   ///< as available_cores(): what programs use by default
  double share = 0;                 ///< as granted_cores(); 0: no limit
  std::vector<std::string> sets{};  ///< of avx2, avx512f, avx512_bf16 and amx_bf16 those it has
};
/// Of /proc and /sys below `root`.
Processor processor_of_machine(const std::filesystem::path& root = "/");

}  // namespace letterpress
