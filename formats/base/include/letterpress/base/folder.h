#pragma once
#include <filesystem>
#include <vector>

namespace letterpress {

/// What is in a folder, as paths, sorted. Throws Error naming the folder when it cannot be read:
/// std::filesystem's own iterator forgets the name on the way.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// The folder that holds a file; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace letterpress
