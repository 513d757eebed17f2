#include "trainer/parallel/nccl_backend.h"

#include <cstdlib>
#include <string>

#include "letterpress/base/error.h"
#include "trainer/device/process_setup.h"

#ifdef LETTERPRESS_NCCL
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace letterpress {
namespace {

// The gradients' connections and those within forward and backward are used side by side, which
// may deadlock unless NCCL starts their kernels in the order of the calls (NCCL User Guide, "Using
// multiple NCCL communicators concurrently" and "NCCL_LAUNCH_ORDER_IMPLICIT").
void require_launch_order() {
  const char* given = std::getenv(kLaunchOrder);
  const std::string value = given ? given : "";
  if (value == "1") return;
  throw Error({.where = kLaunchOrder,
               .what = "is '" + value + "', must be 1: else ranks may wait for each other forever",
               .fix = "unset it"},
              Exit::configuration);
}

}  // namespace

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int world_size) {
  require_launch_order();
#ifdef LETTERPRESS_NCCL
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, world_size);
#else
  static_cast<void>(store);
  throw Error(
      {.where = "rank " + std::to_string(rank) + " of " + std::to_string(world_size),
       .what = "this program was built without NCCL",
       .fix = "build it with the CUDA wheel of LibTorch (scripts/setup.sh), or use --device cpu"},
      Exit::configuration);
#endif
}

}  // namespace letterpress
