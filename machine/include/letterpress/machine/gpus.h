#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

/// Names of this machine's NVIDIA GPUs ("NVIDIA H200"), also of those that this process may not
/// use: the driver's information for each, one that cannot be read left out. Empty without an
/// NVIDIA driver. Source: "/proc Interface" in the README of NVIDIA's Linux driver.
std::vector<std::string> gpus_of_driver(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

}  // namespace letterpress
