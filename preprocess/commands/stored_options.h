#pragma once
#include <filesystem>

#include "preprocess/options/build_options.h"

namespace letterpress {

/// What the last build of the store was told, or the first one that did not end; the defaults when
/// there is none. options.store stays empty.
BuildOptions stored_options(const std::filesystem::path& store);

}  // namespace letterpress
