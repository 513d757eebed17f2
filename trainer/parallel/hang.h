#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trainer/parallel/rank_status_board.h"

namespace letterpress {

/// Why the ranks of a run do not get on.
struct Hang {
  std::optional<int> rank{};  ///< that the others wait for in vain; none: all wait for each other
  RankStatus status{};        ///< of that rank, or of the one that has waited for the shortest time
};

/// What hangs, if anything does. A rank hangs when its process has shown no sign of life for
/// deadline_s (it was stopped, or is in a system call that does not end); when its step takes
/// longer than deadline_s and than three times its longest step; or when a long task takes more
/// than ten times deadline_s. A rank whose device waits for the other ranks' waits itself, and one
/// that waits for its own device, which computes, does not. Where every rank has waited for longer
/// than deadline_s and has shown a sign of life within a quarter of it none is to blame: the
/// network hangs, or they are in different collective calls; until the first step is done, which
/// connects them, for longer than ten times deadline_s. Nothing while a rank makes progress, or no
/// rank waits. statuses: by rank; the default for ranks that have ended.
std::optional<Hang> find_hang(const std::vector<RankStatus>& statuses, double deadline_s);

/// Whether it waits for the other ranks, or its device does.
bool waits_for_others(const RankStatus& status);

/// "rank 1 of 2 hung in step 17: it made no progress for 9 s while the others waited for it", or
/// "... its device made no progress ..." where the process itself lives; "all 2 ranks wait for each
/// other in step 17: no collective call has ended for 9 s".
std::string describe(const Hang& hang, int world_size);
/// What to look for: "was its process stopped, or does its device or disk hang? `dmesg` tells"
std::string suspicion(const Hang& hang);

}  // namespace letterpress
