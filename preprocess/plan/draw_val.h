#pragma once
#include <cstdint>
#include <optional>

#include "preprocess/inputs/inputs.h"
#include "preprocess/likeness/look_cache.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/plan_task.h"

namespace letterpress {

/// Moves a share of train to val as --val SHARE and --group say, and notes what is odd about it.
/// looks: what was seen where the pictures' scenes had to be known. Returns how many pictures were
/// of other splits than train already: nobody has looked whether these show what train shows.
std::int64_t draw_val(const PlanTask& task, double share, Inputs& inputs,
                      std::optional<LookCache>& looks, BuildListener& listener);

/// Notes them, if there are any.
void note_stated(std::int64_t stated_elsewhere, BuildListener& listener);

}  // namespace letterpress
