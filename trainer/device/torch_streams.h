#pragma once
#include <torch/types.h>

#include <memory>

#include "trainer/device/device_streams.h"

namespace letterpress {

/// Streams of a CUDA device by LibTorch: the thread's current one, and one of the device's pool.
/// Memory is that of LibTorch's allocator.
std::unique_ptr<DeviceStreams> torch_streams(torch::Device device);

/// The same for a contiguous tensor: one of its own, which is as this one is when the compute
/// stream gets here.
torch::Tensor copy_of(DeviceStreams& streams, const torch::Tensor& tensor);

/// From now on calls of this thread that name no device are for this CUDA device. Every thread
/// begins with the first one, where such a call, a query of an event too, takes memory for a
/// context.
void make_current(torch::Device device);

}  // namespace letterpress
