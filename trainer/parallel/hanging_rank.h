#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trainer/parallel/rank_status_board.h"

namespace letterpress {

/// The rank that the others wait for in vain. A rank hangs when its process has shown no sign of
/// life for deadline_s (it was stopped, or is in a system call that does not end); when its step
/// takes longer than deadline_s and than three times its longest step; or when a long task takes
/// more than ten times deadline_s. A rank whose device waits for the other ranks' waits itself, and
/// one that waits for its own device, which computes, does not. Nothing while a rank makes
/// progress, or no other rank waits. statuses: by rank; the default for ranks that have ended.
std::optional<int> hanging_rank(const std::vector<RankStatus>& statuses, double deadline_s);

/// "rank 1 of 2 hung in step 17: it made no progress for 9 s while the others waited for it", or
/// "... its device made no progress ..." where the process itself lives.
std::string describe_hanging(int rank, int world_size, const RankStatus& status);

}  // namespace letterpress
