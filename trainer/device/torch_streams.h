#pragma once
#include <torch/torch.h>

#include <memory>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// Streams of a CUDA device by LibTorch: the thread's current one, and one of the device's pool.
/// Memory is that of LibTorch's allocator.
std::unique_ptr<DeviceStreams> torch_streams(torch::Device device);

}  // namespace letterpress
