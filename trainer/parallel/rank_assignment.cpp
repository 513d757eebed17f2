#include "trainer/parallel/rank_assignment.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {
namespace {

// Below the range from which systems hand out ports.
constexpr int kFirstPort = 20000, kPorts = 12000;

// The same for all ranks of a job, another one for a job beside it.
int port_of_job(const Environment& environment) {
  std::string job;
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID",
                           "SLURM_STEP_ID"}) {
    const std::string id = variable(environment, name);
    if (!id.empty()) job += id + "/";
  }
  return kFirstPort + static_cast<int>(hash128(job).prefix() % kPorts);
}

void find_meeting_point(const Environment& environment, RankAssignment& assignment) {
  const bool torchrun = assignment.launcher == "torchrun";
  assignment.port = torchrun
                        ? whole_number(environment, "MASTER_PORT")
                        : whole_number_or(environment, "MASTER_PORT", port_of_job(environment));
  constexpr int kLastPort = 65535;
  if (assignment.port < 1 || assignment.port > kLastPort)
    throw Error({.where = "MASTER_PORT=" + std::to_string(assignment.port),
                 .what = "must be a port, 1 to " + std::to_string(kLastPort)},
                Exit::usage);
  const std::string master = variable(environment, "MASTER_ADDR"),
                    nodes = variable(environment, "SLURM_STEP_NODELIST");
  if (!master.empty()) {
    assignment.address = master;
  } else if (assignment.launcher == "srun" && !nodes.empty()) {
    assignment.address = first_host(nodes);
  } else if (torchrun || assignment.local_world_size != assignment.world_size) {
    throw Error({.what = assignment.launcher + " started " + std::to_string(assignment.world_size) +
                         " ranks, " + std::to_string(assignment.local_world_size) +
                         " of them here, but MASTER_ADDR is not set",
                 .fix = "set it to the host of rank 0 (mpirun -x MASTER_ADDR=HOST)"},
                Exit::usage);
  }
}

}  // namespace

RankAssignment rank_assignment(const Environment& environment) {
  const Launcher* launcher =
      find_launcher(environment, [](const Launcher& one) { return one.starts_ranks; });
  if (!launcher) return {};
  const LaunchedProcess process = launched_process(*launcher, environment);
  RankAssignment assignment{
      .rank = process.index, .world_size = process.count, .launcher = launcher->name};
  if (process.index >= process.count) {
    throw Error({.where = std::string(launcher->index) + "=" + std::to_string(process.index) +
                          " and " + launcher->count + "=" + std::to_string(process.count),
                 .what = "ranks count from 0 and must be less than the world size"},
                Exit::usage);
  }
  assignment.local_rank = whole_number_or(environment, launcher->local_index, 0);
  assignment.knows_local_rank = !variable(environment, launcher->local_index).empty();
  const std::string visible = variable(environment, "CUDA_VISIBLE_DEVICES");
  // torchrun hands one list on to all of its ranks; who sets RANK by hand sets this one, too.
  const bool by_torchrun = !variable(environment, "TORCHELASTIC_RUN_ID").empty();
  assignment.sees_one_device =
      !by_torchrun && !visible.empty() && visible.find(',') == std::string::npos;
  const bool one_host = whole_number_or(environment, "SLURM_STEP_NUM_NODES", 2) == 1;
  assignment.local_world_size =
      whole_number_or(environment, launcher->local_count,
                      assignment.launcher == "srun" && one_host ? assignment.world_size : 1);
  if (assignment.world_size == 1) return assignment;
  find_meeting_point(environment, assignment);
  assignment.store_runs = variable(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (!variable(environment, "LETTERPRESS_SUPERVISOR").empty()) assignment.launcher = "--ranks";
  assignment.listening = whole_number_or(environment, "LETTERPRESS_LISTENING", -1);
  assignment.board = whole_number_or(environment, "LETTERPRESS_STEPS", -1);
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
