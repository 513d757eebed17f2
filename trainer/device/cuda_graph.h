#pragma once
#include <torch/torch.h>

#include "trainer/device/device_graph.h"

namespace letterpress {

/// Throws Error (configuration) for a device that is not a CUDA device, and when this program was
/// built without CUDA.
GraphMaker cuda_graphs(torch::Device device);

}  // namespace letterpress
