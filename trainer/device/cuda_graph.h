#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "trainer/device/device_graph.h"

namespace letterpress {

const std::vector<std::string>& graph_choices();  ///< of --cuda-graph: auto, on, off
/// Whether steps of one process at one side replay one: auto is on wherever cuda_graphs() makes
/// some.
bool graph_chosen(const std::string& choice, torch::Device device);

/// Throws Error (configuration) for a device that is not a CUDA device, and when this program was
/// built without CUDA.
GraphMaker cuda_graphs(torch::Device device);

}  // namespace letterpress
