#include "trainer/fit/options/ranks_of_run.h"

#include <torch/cuda.h>
#include <unistd.h>

#include <algorithm>

#include "letterpress/base/cores.h"
#include "letterpress/base/error.h"
#include "trainer/parallel/device_list.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {
namespace {

bool names_one_device(const std::string& device) { return device.starts_with("cuda:"); }

// All ranks of the host would compute on its first device.
void require_local_rank(const RankAssignment& assignment, int cuda_devices) {
  if (assignment.knows_local_rank || cuda_devices == 1) return;
  throw Error({.what = assignment.launcher + " does not say which of this host's ranks rank " +
                       std::to_string(assignment.rank) + " is, so it cannot choose among " +
                       std::to_string(cuda_devices) + " CUDA devices",
               .fix = "set LOCAL_RANK or MPI_LOCALRANKID, or CUDA_VISIBLE_DEVICES to one device "
                      "per rank"},
              Exit::configuration);
}

std::string how_many(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

// "auto" or "cuda" mean this rank's own device.
std::string device_of_rank(const FitOptions& options, const RankAssignment& assignment,
                           int cuda_devices) {
  const std::vector<int> list = device_list(options.gpus, options.devices, cuda_devices);
  if (!list.empty() && assignment.world_size > 1)
    require_local_rank(assignment, static_cast<int>(list.size()));
  const auto local = static_cast<std::size_t>(assignment.local_rank);
  if (!list.empty() && local >= list.size()) {
    throw Error(
        {.where = options.gpus.empty() ? "--devices " + options.devices : "--gpus " + options.gpus,
         .what = "rank " + std::to_string(assignment.rank) + " is number " +
                 std::to_string(assignment.local_rank + 1) + " on this host and has no device",
         .fix = "start fewer ranks per host"},
        Exit::configuration);
  }
  if (!list.empty()) return "cuda:" + std::to_string(list[local]);
  if (assignment.world_size == 1 || options.device == "cpu" ||
      (options.device == "auto" && cuda_devices == 0))
    return options.device;
  if (names_one_device(options.device)) {
    throw Error({.where = "--device " + options.device,
                 .what = "one device serves one rank, " + assignment.launcher + " started " +
                         how_many(assignment.world_size),
                 .fix = "leave --device out, or name one per rank with --devices"},
                Exit::usage);
  }
  // As of `srun --gpus-per-task=1`: each rank's first device is another one.
  if (cuda_devices == 1 && assignment.sees_one_device) return "cuda:0";
  require_local_rank(assignment, cuda_devices);
  if (assignment.local_rank >= cuda_devices) {
    throw Error({.what = "rank " + std::to_string(assignment.rank) + " is number " +
                         std::to_string(assignment.local_rank + 1) + " on this host, which has " +
                         std::to_string(cuda_devices) + " CUDA devices",
                 .fix = "start fewer ranks per host, give each its own CUDA_VISIBLE_DEVICES (srun "
                        "--gpus-per-task=1), or use --device cpu"},
                Exit::configuration);
  }
  return "cuda:" + std::to_string(assignment.local_rank);
}

}  // namespace

int ranks_to_start(const FitOptions& options, const RankAssignment& assignment, int cuda_devices) {
  const std::vector<int> devices = device_list(options.gpus, options.devices, cuda_devices);
  if (options.ranks > 1 && !devices.empty())
    throw Error({.where = "--ranks " + std::to_string(options.ranks),
                 .what = "--gpus and --devices start one rank per device",
                 .fix = "leave --ranks out"},
                Exit::usage);
  if (options.ranks > 1 && options.device != "cpu" &&
      (options.device != "auto" || cuda_devices > 0))
    throw Error({.where = "--ranks " + std::to_string(options.ranks),
                 .what = "shares the CPU, --device is " + options.device,
                 .fix = "add --device cpu, or use --gpus or --devices"},
                Exit::usage);
  if (!devices.empty() && options.device != "auto" && options.device != "cuda")
    throw Error({.what = "--device " + options.device + " and --gpus or --devices are both given",
                 .fix = "leave --device out"},
                Exit::usage);
  const int wanted = devices.empty() ? options.ranks : static_cast<int>(devices.size());
  if (options.cuda_graph == "on" && std::max(wanted, assignment.world_size) > 1) {
    throw Error({.what = "--cuda-graph on is for one process, " +
                         (assignment.world_size > 1 ? assignment.launcher + " has started "
                                                    : "the flags start ") +
                         how_many(std::max(wanted, assignment.world_size)),
                 .fix = "leave it out, or train on one device"},
                Exit::usage);
  }
  if (assignment.world_size > 1) {
    if (options.ranks > 1 && assignment.launcher != "--ranks")
      throw Error({.where = "--ranks " + std::to_string(options.ranks),
                   .what = assignment.launcher + " has started " + how_many(assignment.world_size) +
                           " already",
                   .fix = "leave --ranks out"},
                  Exit::usage);
    require_rows(options, assignment.world_size);
    return 1;
  }
  require_rows(options, wanted);
  return wanted;
}

FitOptions options_of_rank(const FitOptions& options, const RankAssignment& assignment,
                           int cuda_devices) {
  FitOptions own = options;
  own.device = device_of_rank(options, assignment, cuda_devices);
  if (assignment.world_size == 1) return own;
  if (own.cuda_graph == "auto") own.cuda_graph = "off";
  const int online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  // The ranks of a host share what a container grants, whoever started them.
  const int threads =
      threads_of_rank(assignment, available_cores(), within_grant(online, granted_cores()));
  if (own.threads == 0) own.threads = threads;
  if (own.readers == 0) own.readers = std::min(4, threads);
  return own;
}

void require_rows(const FitOptions& options, int ranks) {
  if (options.batch >= ranks * options.accumulate) return;
  const bool in_parts = options.accumulate > 1;
  throw Error(
      {.what = "--batch " + std::to_string(options.batch) + " over " + how_many(ranks) +
               (in_parts ? " in " + std::to_string(options.accumulate) + " parts" : "") +
               " leaves some without a picture",
       .fix = std::string("raise --batch, which counts the pictures of all ranks, or use fewer "
                          "ranks") +
              (in_parts ? " or parts" : "")},
      Exit::configuration);
}

int cuda_devices() {
  return torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
}

int rank_of(const FitOptions& options) { return options.group ? options.group->rank() : 0; }
int world_size_of(const FitOptions& options) {
  return options.group ? options.group->world_size() : 1;
}
bool is_first_rank(const FitOptions& options) { return rank_of(options) == 0; }

}  // namespace letterpress
