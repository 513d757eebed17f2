#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "letterpress/commandline/launcher.h"
#include "letterpress/shards/plan.h"

namespace letterpress {

/// The share of a plan that one process makes: the groups g with g mod n == index. Groups, not
/// shards: a picture is decoded by one part only.
struct Part {
  int index = 0;  ///< 0..n-1
  int n = 1;      ///< parts there are; more than groups is allowed, the rest have nothing to do
  std::string source;  ///< where it is from: "--part", "SLURM_PROCID and SLURM_NTASKS"
};

/// "1/4" -> (1, 4): two whole numbers, not below 0; nothing for another text.
std::optional<std::pair<int, int>> parse_one_of(const std::string& text);
/// "1/4" -> {1, 4}. Throws Error (usage).
Part parse_part(const std::string& text);

/// The part that the launcher gave this process: the first of find_launcher()'s, except a task of
/// an array that srun starts alone: that is the array's. n: --parts, for launchers that tell only
/// the index; 0: not given. Throws Error (usage) when there is none, or a variable is not a number
/// in range.
Part part_of_launcher(const Environment& environment, int n);

/// By position in plan.shards: true for those that other parts make.
std::vector<bool> shards_of_others(const Plan& plan, const Part& part);

}  // namespace letterpress
