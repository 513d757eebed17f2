#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress::annotations {

/// Paths, from `folder`, of all files below it whose name ends in `extension` (empty: in that of a picture), sorted by bytes. Links to
/// folders are not followed below `folder`. Throws Error when a folder cannot be read.
std::vector<std::string> files_below(const std::filesystem::path& folder, std::string_view extension);

/// Whether the folder itself, not one below it, holds such a file.
bool holds_file(const std::filesystem::path& folder, std::string_view extension);

}  // namespace letterpress::annotations
