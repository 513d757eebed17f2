#include "letterpress/base/cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace letterpress {

int available_cores() noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // Fails on machines of more than 1,024 cores.
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace letterpress
