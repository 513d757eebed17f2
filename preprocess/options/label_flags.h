#pragma once
#include "letterpress/commandline/flags.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// What settles a meaning that label files leave open. Stored where it is not the default.
void add_label_flags(FlagTable<BuildOptions>& table);

}  // namespace letterpress
