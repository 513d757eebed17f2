#pragma once
#include <filesystem>
#include <string>

#include "letterpress/commandline/flags.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// --split NAME=LABELS: takes the place of the earlier builds' ones.
Flag<BuildOptions> split_flag();
/// --rename-class OLD=NEW: is added to the earlier builds' ones.
Flag<BuildOptions> rename_flag();

/// As it is stored: absolute, or empty.
std::string absolute_text(const std::filesystem::path& path);

}  // namespace letterpress
