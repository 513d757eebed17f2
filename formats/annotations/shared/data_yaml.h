#pragma once
#include <filesystem>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

bool is_yaml(const std::filesystem::path& path);
/// Whether it has names, and train or val; by its lines, since it may be of anything.
bool states_a_set(const FileTree& files, const std::filesystem::path& yaml);
/// The data.yaml in a folder, or the only YAML there that has names, and train or val, as
/// FiftyOne's dataset.yaml; empty: none.
std::filesystem::path data_yaml_in(const FileTree& files, const std::filesystem::path& folder);

}  // namespace letterpress::annotations
