#include "trainer/device/process_setup.h"

#include <malloc.h>

#include <climits>
#include <cstdlib>

namespace letterpress {
namespace {

// What glibc would take from the kernel for each tensor, and give back.
constexpr int kMappedAlone = 1 << 30, kKept = INT_MAX, kTakenAtOnce = 64 << 20;

}  // namespace

void set_up_process() {
  mallopt(M_MMAP_THRESHOLD, kMappedAlone);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kTakenAtOnce);
  setenv(kLaunchOrder, "1", 0);
}

}  // namespace letterpress
