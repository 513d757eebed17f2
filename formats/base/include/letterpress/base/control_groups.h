#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace letterpress {

/// Folders of the control groups whose limits hold for this process: its own and those above it, of
/// version 2, and of version 1 where it has the controller ("cpu", "memory"). A file of limits need
/// not be in each of them. root: where /proc and /sys lie.
std::vector<std::filesystem::path> control_groups(const std::string& controller,
                                                  const std::filesystem::path& root = "/");

}  // namespace letterpress
