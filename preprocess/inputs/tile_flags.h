#pragma once
#include <set>
#include <string>

#include "letterpress/commandline/flags.h"
#include "preprocess/inputs/build_options.h"

namespace letterpress {

/// --tile and what is of tiles only, which is not stored without it.
void add_tile_flags(FlagTable<BuildOptions>& table);
/// given: names of the flags that somebody gave now. Throws Error (usage) for one that would do
/// nothing, as pictures are whole.
void refuse_without_tile(const BuildOptions& options, const std::set<std::string>& given);

}  // namespace letterpress
