#pragma once
#include <functional>
#include <string>

namespace letterpress {

/// One process's place in a run of several, and where they meet.
struct RankAssignment {
  int rank = 0, world_size = 1;
  int local_rank = 0, local_world_size = 1;  ///< the same among the processes of this host
  std::string
      launcher{};  ///< "--ranks", "torchrun", "mpirun" or "srun"; empty: nobody started several
  std::string address = "127.0.0.1";  ///< host of the store in which the ranks find each other
  int port = 0;                       ///< of that store
  bool store_runs = false;            ///< the launcher keeps the store; else rank 0 does
  int listening = -1;                 ///< rank 0: socket that listens on `port` already; -1: none
};

/// Values of environment variables, null where unset: std::getenv, or a test's own.
using Environment = std::function<const char*(const char*)>;

/// Where the launcher's variables put this process; the first that is there wins:
///   torchrun (and fit --ranks)  RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR,
///   MASTER_PORT Open MPI's mpirun           OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
///   PMI (MPICH and others)      PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS
///   Slurm's srun                SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID, in a step only: a batch
///   script itself is no rank
/// mpirun and srun: MASTER_ADDR and MASTER_PORT say where to meet; without them the first host of
/// SLURM_STEP_NODELIST or, when all ranks are on one host, that host, at a port made from the job's
/// id. Throws Error (usage) naming the variable when one is missing or odd.
RankAssignment rank_assignment(const Environment& environment);

/// "node03" of "node[03-05,9],gpu1": where Slurm's rank 0 runs.
std::string first_host(const std::string& nodes);

/// Threads for the arithmetic of one of `assignment.local_world_size` processes, at least 1. bound:
/// cores that this process may use; online: cores of the machine. mpirun and srun hand each rank
/// cores of its own, then those are all its.
int threads_of_rank(const RankAssignment& assignment, int bound, int online);

}  // namespace letterpress
