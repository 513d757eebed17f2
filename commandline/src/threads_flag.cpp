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

int limit_readers(int readers) {
  const int most = kReadersPerCore * available_cores();
  if (readers <= most || readers > kMostReaders) return readers;
  std::cerr << fmt::format("--readers {} is more than {} for each core here; {} are used\n",
                           readers, kReadersPerCore, most);
  return most;
}

}  // namespace letterpress
