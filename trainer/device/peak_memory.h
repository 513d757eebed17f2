#pragma once
#include <torch/torch.h>

#include <cstdint>

namespace letterpress {

/// Bytes that this process has held at once, at most: on CUDA those that the allocator has taken
/// from the device (its cache included, the driver's own few hundred MiB not), on the CPU those
/// resident in memory. Does not wait for the device.
std::int64_t peak_memory(torch::Device device);

/// Bytes that a CUDA device has in all.
std::int64_t device_memory(torch::Device device);

}  // namespace letterpress
