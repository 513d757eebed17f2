#include "letterpress/commandline/threads_flag.h"

#include <fmt/format.h>

#include <iostream>

#include "letterpress/base/cores.h"

namespace letterpress {

Capped limit_to_cores(int threads) {
  const int cores = available_cores();
  if (threads <= cores || threads > kMostThreads) return {threads};
  return {cores,
          fmt::format("--threads {} is more than the cores here; {} are used", threads, cores)};
}

Capped limit_readers(int readers) {
  const int most = kReadersPerCore * available_cores();
  if (readers <= most || readers > kMostReaders) return {readers};
  return {most, fmt::format("--readers {} is more than {} for each core here; {} are used", readers,
                            kReadersPerCore, most)};
}

int tell(const Capped& capped) {
  if (!capped.note.empty()) std::cerr << capped.note << "\n";
  return capped.number;
}

}  // namespace letterpress
