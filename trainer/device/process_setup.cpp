#include "trainer/device/process_setup.h"

#include <malloc.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "letterpress/base/own_program.h"

namespace letterpress {
namespace {

// About 20 us: longer than the next part of a step takes to come when nothing else runs here.
constexpr const char* kSpins = "1000";

// What glibc would take from the kernel for each tensor, and give back.
constexpr int kMappedAlone = 1 << 30, kKept = INT_MAX, kTakenAtOnce = 64 << 20;

}  // namespace

void set_up_process() {
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kTakenAtOnce);
  setenv(kLaunchOrder, "1", 0);
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  const std::vector<std::string> words = words_of_this_program();
  if (words.empty()) return;
  setenv("GOMP_SPINCOUNT", kSpins, 1);
  execv(path_of_this_program().c_str(), argument_list(words).data());
  // Where that cannot be done, the threads spin.
}

}  // namespace letterpress
