#pragma once
#include <optional>

#include "letterpress/base/stop_request.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/options/build_options.h"
#include "preprocess/plan/previous.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// What a plan is made from. What it refers to is the caller's and outlives the call.
struct PlanTask {
  const BuildOptions& options;
  Recipe& recipe;  ///< gets the scale of its tiles where that is chosen by the boxes
  std::optional<Previous>& previous;  ///< entries that a renamed class alone changed follow it
  StatCache known;  ///< what is believed of files without reading them; gone once they were seen
  const StopRequest& stop;
};

}  // namespace letterpress
