#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

namespace letterpress {

/// The JPEG files of a folder, by name. An empty path gives 64 drawn ones of 640 x 480, the same on
/// every machine with the same libjpeg-turbo. Throws Error (no input) if the folder holds none.
std::vector<std::vector<std::byte>> load_photographs(const std::filesystem::path& folder);

}  // namespace letterpress
