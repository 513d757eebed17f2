#pragma once
#include "letterpress/commandline/flags.h"
#include "preprocess/inputs/build_options.h"

namespace letterpress {

/// --tile and what is of tiles only: without --tile it is refused and not stored.
void add_tile_flags(FlagTable<BuildOptions>& table);

}  // namespace letterpress
