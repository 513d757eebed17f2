#pragma once
#include <string>

#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// Flags that are not at their default and do nothing, as what they belong to is not chosen:
/// "--power (of --schedule polynomial) does nothing here"; empty: there are none.
std::string idle_flags(const FitOptions& options);

}  // namespace letterpress
