#pragma once
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace letterpress {

/// Seconds of the processor that programs took which have ended and been waited for. A busy machine
/// does not change them, as it does those of the clock.
inline double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/// The same of a program that runs: fields 14 and 15 of its stat.
inline double cpu_s(pid_t process) {
  std::ifstream fields("/proc/" + std::to_string(process) + "/stat");
  std::string field;
  for (int i = 0; i < 13; ++i) fields >> field;
  double user = 0, kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace letterpress
