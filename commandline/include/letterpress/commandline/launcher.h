#pragma once
#include <functional>
#include <string>

namespace letterpress {

/// Looks up an environment variable, null where it is unset: std::getenv, or a test's own.
using Environment = std::function<const char*(const char* name)>;
Environment own_environment();  ///< this process's

/// The variables that a launcher sets for each process that it starts. A null name: this launcher
/// does not tell.
struct Launcher {
  const char* name;                   ///< "torchrun", "mpirun", "srun", ...
  bool starts_ranks = false;          ///< its processes run at the same time and can meet
  const char* index = nullptr;        ///< which process this is
  const char* count = nullptr;        ///< how many there are
  const char* local_index = nullptr;  ///< the same among the processes of this host
  const char* local_count = nullptr;
  const char* required = nullptr;  ///< must be set too: a batch script is not a step of srun
  const char* first = nullptr;     ///< the lowest index, 0 where it is unset
  const char* stride = nullptr;    ///< from one index to the next, 1 where it is unset
};

/// This process among those of its launcher.
struct LaunchedProcess {
  int index = 0;  ///< from 0; `count` when the index is not one that `first` and `stride` give
  int count = 0;  ///< 0: the launcher does not tell
};

/// The first launcher, in this order, that `usable` accepts and whose index, count and `required`
/// are set; null when there is none. A variable that is set but empty counts as unset.
///   torchrun                RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE
///   Open MPI                OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
///   PMI (MPICH, Intel MPI)  PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS
///   Slurm's srun            SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID, SLURM_NTASKS_PER_NODE
///   Slurm array             SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP
///   Kubernetes Indexed Job  JOB_COMPLETION_INDEX
///   AWS Batch array         AWS_BATCH_JOB_ARRAY_INDEX
const Launcher* find_launcher(const Environment& environment,
                              const std::function<bool(const Launcher&)>& usable);

/// Reads index and count. fix: what a user can do about a variable that is not a number. Throws
/// Error (usage) naming that variable.
LaunchedProcess launched_process(const Launcher& launcher, const Environment& environment,
                                 const std::string& fix = {});

/// The variable's value; empty where it is unset.
std::string variable(const Environment& environment, const char* name);
/// The variable's value as a whole number from 0. Throws Error (usage) when it is not one.
int whole_number(const Environment& environment, const char* name, const std::string& fix = {});
/// The same; `otherwise` where the variable is unset or empty.
int whole_number_or(const Environment& environment, const char* name, int otherwise,
                    const std::string& fix = {});

}  // namespace letterpress
