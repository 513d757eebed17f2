#pragma once
#include <torch/types.h>

#include <cstdint>

namespace letterpress {

/// The most bytes that this process has held at once: on CUDA what the allocator has taken from the
/// device (with its cache, without the driver's own few hundred MiB), on the CPU resident memory.
/// Does not wait for the device.
std::int64_t peak_memory(torch::Device device);

/// Total bytes of a CUDA device.
std::int64_t device_memory(torch::Device device);

}  // namespace letterpress
