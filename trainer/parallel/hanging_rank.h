#pragma once
#include <optional>
#include <vector>

#include "trainer/parallel/rank_status_board.h"

namespace letterpress {

/// The rank for which the others wait in vain. Such is one whose process has shown no life for
/// deadline_s (stopped, or in a system call that does not end); one that works on a step for longer
/// than deadline_s and three times as long as ever before; one that is busy for more than ten times
/// deadline_s. Nothing while some rank gets on, or none of the others waits. statuses: of all
/// ranks, in their order; of those that have ended the default.
std::optional<int> hanging_rank(const std::vector<RankStatus>& statuses, double deadline_s);

}  // namespace letterpress
