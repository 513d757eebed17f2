#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// Where a path that a data.yaml states may lead: from `first`, then from each root.
std::vector<std::filesystem::path> below_roots(const std::filesystem::path& first,
                                               const std::filesystem::path& stated,
                                               const std::vector<std::filesystem::path>& roots);

/// What the longest end of a path of another machine leads to below one of `starts`; empty:
/// nothing. One name alone counts only where it is that of the split.
std::filesystem::path by_longest_end(const FileTree& files, std::string stated,
                                     const std::string& split,
                                     const std::vector<std::filesystem::path>& starts);

/// Whether a folder, or a folder in it, holds a picture, or a .txt lists pictures.
bool leads_to_pictures(const FileTree& files, const std::filesystem::path& path);

}  // namespace letterpress::annotations
