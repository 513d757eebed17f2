#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "letterpress/commandline/flags.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// --root FOLDER or SPLIT=FOLDER, any number of them. Stored as one text where there is one of all
/// splits, as programs before this had it.
Flag<BuildOptions> root_flag();

/// Throws Error (usage) where a root is of a split that no label file is of. splits: those read.
void check_root_splits(const BuildOptions& options, const std::set<std::string>& splits);

/// The roots of one label file. split: of its pictures; empty: train.
std::vector<std::filesystem::path> roots_of(const BuildOptions& options, const std::string& split);

}  // namespace letterpress
