#pragma once
#include "letterpress/commandline/flags.h"
#include "preprocess/options/build_options.h"

namespace letterpress {

/// The flags of `build` and `plan`: each stands here once, with its help, its limits and whether
/// later builds of the store repeat it ("kept"; "once": they do not).
const FlagTable<BuildOptions>& build_flags();

}  // namespace letterpress
