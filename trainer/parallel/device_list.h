#pragma once
#include <functional>
#include <string>
#include <vector>

namespace letterpress {

/// The CUDA devices, one per rank, that --gpus ("all" or a number, the first ones) or --devices
/// ("0,2") ask for; empty when both are empty. present: CUDA devices of this machine. Throws Error
/// listing what there is: usage for other text, a device named twice or both flags; configuration
/// for a device that is not there.
std::vector<int> device_list(const std::string& gpus, const std::string& devices, int present);

/// Throws Error (busy) when somebody computes on a device of `list`, saying who, and which of the
/// `present` devices are free. flag: what named them, "--devices 0,2". users: who computes on a
/// device, empty for nobody.
void require_free(const std::vector<int>& list, int present, const std::string& flag,
                  const std::function<std::string(int)>& users);

}  // namespace letterpress
