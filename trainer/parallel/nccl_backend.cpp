#include "trainer/parallel/nccl_backend.h"

#include <cstdlib>
#include <string>

#include "letterpress/base/error.h"
#include "trainer/device/process_setup.h"

#ifdef LETTERPRESS_NCCL
#define USE_C10D_NCCL
#include <ATen/cuda/CUDAContextLight.h>

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

#ifndef LETTERPRESS_NCCL
Error built_without_nccl(const std::string& where) {
  return Error(
      {.where = where,
       .what = "this program was built without NCCL",
       .fix = "build it with the CUDA wheel of LibTorch (scripts/setup.sh), or use --device cpu"},
      Exit::configuration);
}
#endif

}  // namespace

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                               int rank, int world_size) {
  require_launch_order();
#ifdef LETTERPRESS_NCCL
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, world_size);
#else
  static_cast<void>(store);
  throw built_without_nccl("rank " + std::to_string(rank) + " of " + std::to_string(world_size));
#endif
}

std::string cuda_device_id(torch::Device device) {
#ifdef LETTERPRESS_NCCL
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(
      at::cuda::getDeviceProperties(device.index())->uuid.bytes);
  std::string id = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    id += "0123456789abcdef"[bytes[i] >> 4];
    id += "0123456789abcdef"[bytes[i] & 15];
  }
  return id;
#else
  throw built_without_nccl(device.str());
#endif
}

}  // namespace letterpress
