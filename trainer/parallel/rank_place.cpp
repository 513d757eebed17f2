#include "trainer/parallel/rank_place.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/hash.h"

namespace letterpress {
namespace {

struct Launcher {
  const char *name, *rank, *ranks, *local_rank, *local_ranks;
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

void find_meeting_point(const Environment& environment, RankPlace& place) {
  const bool torchrun = place.launcher == "torchrun";
  place.port = torchrun ? number(environment, "MASTER_PORT")
                        : number_or(environment, "MASTER_PORT", port_of_job(environment));
  if (has(environment, "MASTER_ADDR")) {
    place.address = environment("MASTER_ADDR");
  } else if (place.launcher == "srun" && has(environment, "SLURM_STEP_NODELIST")) {
    place.address = first_host(environment("SLURM_STEP_NODELIST"));
  } else if (torchrun || place.local_ranks != place.ranks) {
    throw Error(place.launcher + " started " + std::to_string(place.ranks) + " ranks, " +
                    std::to_string(place.local_ranks) +
                    " of them here, but MASTER_ADDR is not set; set it to the host of rank 0 "
                    "(mpirun -x MASTER_ADDR=HOST)",
                Exit::usage);
  }
}

}  // namespace

RankPlace rank_place(const Environment& environment) {
  const auto launcher =
      std::find_if(kLaunchers.begin(), kLaunchers.end(),
                   [&](const Launcher& one) { return started_by(one, environment); });
  if (launcher == kLaunchers.end()) return {};
  RankPlace place{.rank = number(environment, launcher->rank),
                  .ranks = number(environment, launcher->ranks)};
  place.launcher = launcher->name;
  if (place.ranks < 1 || place.rank >= place.ranks) {
    throw Error(std::string(launcher->rank) + "=" + std::to_string(place.rank) + " and " +
                    launcher->ranks + "=" + std::to_string(place.ranks) +
                    ": ranks count from 0 and are fewer than their number",
                Exit::usage);
  }
  place.local_rank = number_or(environment, launcher->local_rank, 0);
  const bool one_host = number_or(environment, "SLURM_STEP_NUM_NODES", 2) == 1;
  place.local_ranks = number_or(environment, launcher->local_ranks,
                                place.launcher == "srun" && one_host ? place.ranks : 1);
  if (place.ranks == 1) return place;
  find_meeting_point(environment, place);
  place.store_runs = has(environment, "TORCHELASTIC_USE_AGENT_STORE") &&
                     std::string(environment("TORCHELASTIC_USE_AGENT_STORE")) == "True";
  if (has(environment, "LETTERPRESS_SUPERVISOR")) place.launcher = "--ranks";
  place.listening = number_or(environment, "LETTERPRESS_LISTENING", -1);
  return place;
}

std::string first_host(const std::string& nodes) {
  const std::size_t bracket = nodes.find('['), comma = nodes.find(',');
  if (bracket == std::string::npos || comma < bracket) return nodes.substr(0, comma);
  return nodes.substr(0, bracket) +
         nodes.substr(bracket + 1, nodes.find_first_of(",-]", bracket) - bracket - 1);
}

int threads_of_rank(const RankPlace& place, int bound, int online) {
  const bool own_cores = place.launcher == "mpirun" || place.launcher == "srun";
  const int share = (own_cores ? online : bound) / std::max(1, place.local_ranks);
  return std::max(1, std::min(bound, share));
}

}  // namespace letterpress
