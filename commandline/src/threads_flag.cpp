#include "letterpress/commandline/threads_flag.h"

#include <fmt/format.h>

#include <iostream>

#include "letterpress/base/cores.h"

namespace letterpress {

int limit_to_cores(int threads) {
  const int cores = available_cores();
  if (threads <= cores || threads > kMostThreads) return threads;
  std::cerr << fmt::format("--threads {} is more than the cores here; {} are used\n", threads,
                           cores);
  return cores;
}

}  // namespace letterpress
