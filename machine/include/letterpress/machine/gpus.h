#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

/// Names of this machine's NVIDIA GPUs ("NVIDIA H200"), whatever may use them: the driver's
/// information for each. Empty where its folder is missing. Errors: io when it cannot be read.
/// Source: "/proc Interface" in the README of NVIDIA's Linux driver.
std::vector<std::string> gpus_of_driver(
    const std::filesystem::path& folder = "/proc/driver/nvidia/gpus");

}  // namespace letterpress
