#pragma once
#include <functional>
#include <string>
#include <vector>

namespace letterpress {

/// The CUDA devices, one per rank, that --gpus ("all" or a number, the first ones) or --devices
/// ("0,2") ask for; empty when both are empty. present: CUDA devices of this machine. Throws Error
/// listing the devices: usage for other text, a device named twice or both flags; configuration for
/// a device that does not exist.
std::vector<int> device_list(const std::string& gpus, const std::string& devices, int present);

/// Throws Error (busy) when another process computes on a device of `list`, naming the process and
/// the free ones of the `present` devices. flag: named them, "--devices 0,2". users: the processes
/// on a device, empty for none.
void require_free(const std::vector<int>& list, int present, const std::string& flag,
                  const std::function<std::string(int)>& users);

}  // namespace letterpress
