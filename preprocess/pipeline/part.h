#pragma once
#include <functional>
#include <string>
#include <vector>

#include "letterpress/shards/plan.h"

namespace letterpress {

/// The share of a plan that one process makes: the groups g with g mod n == index. Groups, not shards:
/// a picture is decoded by one part only.
struct Part {
  int index = 0;  ///< 0..n-1
  int n = 1;      ///< parts there are; more than groups is allowed, the rest have nothing to do
  std::string source;  ///< where it is from: "--part", "SLURM_PROCID and SLURM_NTASKS"
};

/// Looks a variable of the environment up; nullptr when it is not set. getenv, or a test's.
using Environment = std::function<const char*(const char* name)>;

/// "1/4" -> {1, 4}. Throws Error (usage).
Part parse_part(const std::string& text);

/// The part that the launcher gave this process: torchrun, Open MPI, PMI (MPICH, Intel MPI),
/// Slurm's srun (in a step only: a batch script itself is not a part), a Slurm array, a Kubernetes
/// Indexed Job, an AWS Batch array; the first whose variables are set. A variable that is set but
/// empty counts as unset. n: --parts, for launchers that tell only the index; 0: not given. Throws
/// Error (usage) when there is none, or a variable is not a number in range.
Part part_of_launcher(const Environment& environment, int n);

/// By position in plan.shards: true for those that other parts make.
std::vector<bool> shards_of_others(const Plan& plan, const Part& part);

}  // namespace letterpress
