#pragma once
#include <string>
#include <vector>

namespace letterpress {

/// The CUDA devices, one per rank, that --gpus ("all" or a number, the first ones) or --devices ("0,2") ask for; empty when both are
/// empty. present: CUDA devices of this machine. Throws Error listing what there is: usage for other text, a device named twice or both
/// flags; configuration for a device that is not there.
std::vector<int> device_list(const std::string& gpus, const std::string& devices, int present);

}  // namespace letterpress
