#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/files/split_words.h"

namespace letterpress::annotations {

/// The folders in `above` that are called after splits. Where there are any, a remark names each
/// folder of pictures beside them that may be called so (doubtful_split_in).
std::vector<SplitName> split_folders(const FileTree& files, const std::filesystem::path& above,
                                     std::vector<std::string>& remarks);

}  // namespace letterpress::annotations
