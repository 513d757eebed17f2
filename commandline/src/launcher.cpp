#include "letterpress/commandline/launcher.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"

namespace letterpress {
namespace {

// MPI's launchers before Slurm: inside a Slurm job they pass the job's own SLURM_PROCID=0 on to
// every rank.
constexpr std::array kLaunchers{
    Launcher{.name = "torchrun",
             .starts_ranks = true,
             .index = "RANK",
             .count = "WORLD_SIZE",
             .local_index = "LOCAL_RANK",
             .local_count = "LOCAL_WORLD_SIZE"},
    Launcher{.name = "mpirun",
             .starts_ranks = true,
             .index = "OMPI_COMM_WORLD_RANK",
             .count = "OMPI_COMM_WORLD_SIZE",
             .local_index = "OMPI_COMM_WORLD_LOCAL_RANK",
             .local_count = "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Launcher{.name = "mpirun",
             .starts_ranks = true,
             .index = "PMI_RANK",
             .count = "PMI_SIZE",
             .local_index = "MPI_LOCALRANKID",
             .local_count = "MPI_LOCALNRANKS"},
    Launcher{.name = "srun",
             .starts_ranks = true,
             .index = "SLURM_PROCID",
             .count = "SLURM_NTASKS",
             .local_index = "SLURM_LOCALID",
             .local_count = "SLURM_NTASKS_PER_NODE",
             .required = "SLURM_STEP_ID"},
    Launcher{.name = "Slurm array",
             .index = "SLURM_ARRAY_TASK_ID",
             .count = "SLURM_ARRAY_TASK_COUNT",
             .first = "SLURM_ARRAY_TASK_MIN",
             .stride = "SLURM_ARRAY_TASK_STEP"},
    Launcher{.name = "Kubernetes Indexed Job", .index = "JOB_COMPLETION_INDEX"},
    Launcher{.name = "AWS Batch array", .index = "AWS_BATCH_JOB_ARRAY_INDEX"}};

}  // namespace

Environment own_environment() {
  return [](const char* name) { return std::getenv(name); };
}

std::string variable(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text ? text : "";
}

int whole_number(const Environment& environment, const char* name, const std::string& fix) {
  const std::string text = variable(environment, name);
  if (const auto value = parse_count(text)) return *value;
  throw Error({.where = std::string(name) + "=" + text,
               .what = "must be a whole number, 0 or more",
               .fix = fix},
              Exit::usage);
}

int whole_number_or(const Environment& environment, const char* name, int otherwise,
                    const std::string& fix) {
  return variable(environment, name).empty() ? otherwise : whole_number(environment, name, fix);
}

const Launcher* find_launcher(const Environment& environment,
                              const std::function<bool(const Launcher&)>& usable) {
  const auto set = [&](const char* name) { return !name || !variable(environment, name).empty(); };
  const auto equal = [&](const char* a, const char* b) {
    return variable(environment, a) == variable(environment, b);
  };
  // Slurm's plugin for PMI sets that in every task. The shell of an interactive step is one task,
  // which knows how many the job may have.
  const bool by_slurm = set("SLURM_STEP_ID") && equal("PMI_RANK", "SLURM_PROCID") &&
                        equal("PMI_SIZE", "SLURM_NTASKS");
  const bool is_shell =
      set("SLURM_STEP_NUM_TASKS") && !equal("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS");
  const auto is_hidden = [&](std::string_view index) {
    return (by_slurm && index == "PMI_RANK") || (is_shell && index == "SLURM_PROCID");
  };
  const auto found =
      std::find_if(kLaunchers.begin(), kLaunchers.end(), [&](const Launcher& launcher) {
        return set(launcher.index) && set(launcher.count) && set(launcher.required) &&
               !is_hidden(launcher.index) && usable(launcher);
      });
  return found == kLaunchers.end() ? nullptr : &*found;
}

LaunchedProcess launched_process(const Launcher& launcher, const Environment& environment,
                                 const std::string& fix) {
  LaunchedProcess process{
      .index = whole_number(environment, launcher.index, fix),
      .count = launcher.count ? whole_number(environment, launcher.count, fix) : 0};
  if (!launcher.first) return process;
  const int stride = std::max(1, whole_number_or(environment, launcher.stride, 1, fix)),
            above = process.index - whole_number_or(environment, launcher.first, 0, fix);
  process.index = above >= 0 && above % stride == 0 ? above / stride : process.count;
  return process;
}

}  // namespace letterpress
