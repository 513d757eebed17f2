#include "preprocess/pipeline/part.h"

#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"

namespace letterpress {
namespace {

constexpr const char* kFix = "pass --part i/n instead";

Part checked(Part part) {
  if (part.n > 0 && part.index < part.n) return part;
  throw Error({.where = part.source,
               .what = "got part " + std::to_string(part.index) + " of " + std::to_string(part.n) +
                       ", parts must count from 0 without gaps to one less than their number",
               .fix = kFix},
              Exit::usage);
}

// A batch script itself has SLURM_PROCID=0 and the job's SLURM_NTASKS. So has a task of an array
// that srun starts alone: there the array tells the part.
bool tells_part(const Environment& environment, const Launcher& launcher) {
  return std::string(launcher.name) != "srun" ||
         variable(environment, "SLURM_ARRAY_TASK_ID").empty() ||
         variable(environment, launcher.count) != "1";
}

}  // namespace

std::optional<std::pair<int, int>> parse_one_of(const std::string& text) {
  const std::size_t cut = text.find('/');
  const auto index = parse_count(text.substr(0, cut));
  const auto n = cut == std::string::npos ? std::nullopt : parse_count(text.substr(cut + 1));
  return index && n ? std::optional(std::pair(*index, *n)) : std::nullopt;
}

Part parse_part(const std::string& text) {
  const auto part = parse_one_of(text);
  if (part && part->first < part->second) return {part->first, part->second, "--part"};
  throw Error(
      {.where = "--part " + text, .what = "must be i/n with i from 0 to n - 1, for instance 0/4"},
      Exit::usage);
}

Part part_of_launcher(const Environment& environment, int n) {
  const Launcher* launcher =
      find_launcher(environment, [&](const Launcher& one) { return tells_part(environment, one); });
  if (!launcher)
    throw Error(
        Message{
            .what =
                "no --part given, and no launcher has set its variables (torchrun, Open MPI, PMI, "
                "Slurm's srun or array, Kubernetes Indexed Job, AWS Batch array)",
            .fix = "pass --part i/n with i from 0"},
        Exit::usage);
  const LaunchedProcess process = launched_process(*launcher, environment, kFix);
  const std::string index = launcher->index;
  if (launcher->count)
    return checked({process.index, process.count, index + " and " + launcher->count});
  if (n == 0)
    throw Error({.what = index + " is set, but does not tell how many parts there are",
                 .fix = "add --parts N"},
                Exit::usage);
  return checked({process.index, n, index + " and --parts"});
}

std::vector<bool> shards_of_others(const Plan& plan, const Part& part) {
  std::vector<bool> others;
  for (const PlannedShard& shard : plan.shards)
    others.push_back(shard.group % part.n != part.index);
  return others;
}

}  // namespace letterpress
