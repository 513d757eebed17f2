#include "trainer/parallel/rank_assignment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {
namespace {

struct Launcher {
  const char *name, *rank, *ranks, *local_rank, *local_world_size;
};

// Open MPI before Slurm: its mpirun inside a Slurm job hands the job's own SLURM_PROCID=0 on to
// every rank.
constexpr std::array kLaunchers{
    Launcher{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    Launcher{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
             "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Launcher{"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    Launcher{"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"}};

constexpr int kFirstPort = 20000,
              kPorts = 12000;  // below the range from which systems hand out ports

bool has(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text && *text;
}

int number(const Environment& environment, const char* name) {
  const std::string text = has(environment, name) ? environment(name) : "";
  int value = 0;
  const auto [last, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc() && last == text.data() + text.size() && value >= 0) return value;
  throw Error(std::string(name) + " is '" + text + "', must be a whole number from 0", Exit::usage);
}

int number_or(const Environment& environment, const char* name, int otherwise) {
  return has(environment, name) ? number(environment, name) : otherwise;
}

bool started_by(const Launcher& launcher, const Environment& environment) {
  if (!has(environment, launcher.rank) || !has(environment, launcher.ranks)) return false;
  return std::string(launcher.name) != "srun" || has(environment, "SLURM_STEP_ID");
}

// The same for all ranks of a job, and another one for a job beside it.
int port_of_job(const Environment& environment) {
  std::string job;
  for (const char* name :
       {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    if (has(environment, name)) job += std::string(environment(name)) + "/";
  }
  return kFirstPort + static_cast<int>(hash128(job).prefix() % kPorts);
}

void find_meeting_point(const Environment& environment, RankAssignment& assignment) {
  const bool torchrun = assignment.launcher == "torchrun";
  assignment.port = torchrun ? number(environment, "MASTER_PORT")
                             : number_or(environment, "MASTER_PORT", port_of_job(environment));
  if (has(environment, "MASTER_ADDR")) {
    assignment.address = environment("MASTER_ADDR");
  } else if (assignment.launcher == "srun" && has(environment, "SLURM_STEP_NODELIST")) {
    assignment.address = first_host(environment("SLURM_STEP_NODELIST"));
  } else if (torchrun || assignment.local_world_size != assignment.world_size) {
    throw Error(assignment.launcher + " started " + std::to_string(assignment.world_size) +
                    " ranks, " + std::to_string(assignment.local_world_size) +
                    " of them here, but MASTER_ADDR is not set; set it to the host of rank 0 "
                    "(mpirun -x MASTER_ADDR=HOST)",
                Exit::usage);
  }
}

}  // namespace

RankAssignment rank_assignment(const Environment& environment) {
  const auto launcher =
      std::find_if(kLaunchers.begin(), kLaunchers.end(),
                   [&](const Launcher& one) { return started_by(one, environment); });
  if (launcher == kLaunchers.end()) return {};
  RankAssignment assignment{.rank = number(environment, launcher->rank),
                            .world_size = number(environment, launcher->ranks)};
  assignment.launcher = launcher->name;
  if (assignment.world_size < 1 || assignment.rank >= assignment.world_size) {
    throw Error(std::string(launcher->rank) + "=" + std::to_string(assignment.rank) + " and " +
                    launcher->ranks + "=" + std::to_string(assignment.world_size) +
                    ": ranks count from 0 and are fewer than their number",
                Exit::usage);
  }
  assignment.local_rank = number_or(environment, launcher->local_rank, 0);
  const bool one_host = number_or(environment, "SLURM_STEP_NUM_NODES", 2) == 1;
  assignment.local_world_size =
      number_or(environment, launcher->local_world_size,
                assignment.launcher == "srun" && one_host ? assignment.world_size : 1);
  if (assignment.world_size == 1) return assignment;
  find_meeting_point(environment, assignment);
  assignment.store_runs = has(environment, "TORCHELASTIC_USE_AGENT_STORE") &&
                          std::string(environment("TORCHELASTIC_USE_AGENT_STORE")) == "True";
  if (has(environment, "LETTERPRESS_SUPERVISOR")) assignment.launcher = "--ranks";
  assignment.listening = number_or(environment, "LETTERPRESS_LISTENING", -1);
  return assignment;
}

std::string first_host(const std::string& nodes) {
  const std::size_t bracket = nodes.find('['), comma = nodes.find(',');
  if (bracket == std::string::npos || comma < bracket) return nodes.substr(0, comma);
  return nodes.substr(0, bracket) +
         nodes.substr(bracket + 1, nodes.find_first_of(",-]", bracket) - bracket - 1);
}

int threads_of_rank(const RankAssignment& assignment, int bound, int online) {
  const bool own_cores = assignment.launcher == "mpirun" || assignment.launcher == "srun";
  const int share = (own_cores ? online : bound) / std::max(1, assignment.local_world_size);
  return std::max(1, std::min(bound, share));
}

}  // namespace letterpress
