#pragma once
#include <string>

#include "letterpress/commandline/launcher.h"

namespace letterpress {

/// This process among the ranks of a run, and where they meet.
struct RankAssignment {
  int rank = 0, world_size = 1;
  int local_rank = 0, local_world_size = 1;  ///< the same among the processes of this host
  bool knows_local_rank = true;              ///< the launcher tells it; else local_rank is 0
  bool sees_one_device = false;  ///< CUDA_VISIBLE_DEVICES names one device, as each rank's own;
                                 ///< never under torchrun, whose ranks share the variable
  std::string launcher{};        ///< "--ranks", "torchrun", "mpirun" or "srun"; empty: no launcher
  std::string address = "127.0.0.1";  ///< host of the store in which the ranks find each other
  int port = 0;                       ///< of that store
  bool store_runs = false;            ///< the launcher keeps the store; else rank 0 does
  int listening = -1;                 ///< rank 0: a socket that listens on `port` already; -1: none
  int board = -1;  ///< descriptor of the RankStatusBoard of who supervises it; -1: nobody does
};

/// What the variables of the first launcher that starts ranks assign to this process; `fit --ranks`
/// sets those of torchrun. MASTER_ADDR and MASTER_PORT say where the ranks meet. Under mpirun and
/// srun they may be missing: then the ranks meet on the first host of SLURM_STEP_NODELIST or, when
/// all are on one host, on that host, at a port made from the job's id. Throws Error (usage) naming
/// a variable that is missing or malformed.
RankAssignment rank_assignment(const Environment& environment);

/// "node03" of "node[03-05,9],gpu1": where Slurm's rank 0 runs.
std::string first_host(const std::string& nodes);

/// Threads for the arithmetic of one of `assignment.local_world_size` processes, at least 1. bound:
/// cores that this process may use; online: cores of the machine, or those whose time a container
/// grants. mpirun and srun bind each rank to cores of its own; the rank uses all of those.
int threads_of_rank(const RankAssignment& assignment, int bound, int online);

}  // namespace letterpress
