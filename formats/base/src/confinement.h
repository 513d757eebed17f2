#pragma once
#include "letterpress/base/confined.h"

namespace letterpress {

/// From now on this process, a child of its own, has the limits, no open file but `descriptor` and
/// standard error, and no calls of the system but those that leave_only_memory_and() leaves.
void confine(const ConfinedLimits& limits, int descriptor);

}  // namespace letterpress
