#include "letterpress/machine/processor.h"

#include <fstream>

#include "letterpress/base/cores.h"

namespace letterpress {
namespace {

// Kernels of ours and of the arithmetic are chosen by these.
constexpr const char* kSets[] = {"avx2", "avx512f", "avx512_bf16", "amx_bf16"};

std::vector<std::string> sets_of(const std::string& flags) {
  const std::string words = " " + flags + " ";
  std::vector<std::string> sets;
  for (const std::string set : kSets)
    if (words.find(" " + set + " ") != std::string::npos) sets.push_back(set);
  return sets;
}

// "model name\t: AMD EPYC" -> "AMD EPYC"
std::string value_of(const std::string& line) {
  const std::size_t begin = line.find(": ");
  return begin == std::string::npos ? "" : line.substr(begin + 2);
}

}  // namespace

Processor processor_of_machine(const std::filesystem::path& root) {
  Processor processor{.usable = available_cores(root), .share = granted_cores(root)};
  std::ifstream lines(root / "proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("processor")) ++processor.cores;
    if (line.starts_with("model name")) processor.name = value_of(line);
    if (line.starts_with("flags")) processor.sets = sets_of(value_of(line));
  }
  return processor;
}

}  // namespace letterpress
