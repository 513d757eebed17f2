#pragma once
#include <set>
#include <string>

#include "letterpress/commandline/flags.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// --tile and what is of tiles only, which is not stored without it.
void add_tile_flags(FlagTable<BuildOptions>& table);
/// given: names of the flags that somebody gave now. Throws Error (usage) for one that would do
/// nothing: of tiles, as pictures are whole; --size, as tiles are not of it.
void refuse_without_use(const BuildOptions& options, const std::set<std::string>& given);

}  // namespace letterpress
