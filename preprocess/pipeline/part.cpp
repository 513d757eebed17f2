#include "preprocess/pipeline/part.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

struct Launcher {
  const char* index;
  const char* count;  ///< nullptr: only --parts tells it
};

// MPI's launchers before Slurm: inside a Slurm job they hand the job's own SLURM_PROCID=0 on to
// every rank.
constexpr std::array kBeforeArrays{
    Launcher{"RANK", "WORLD_SIZE"}, Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"PMI_RANK", "PMI_SIZE"}, Launcher{"SLURM_PROCID", "SLURM_NTASKS"}};
constexpr std::array kAfterArrays{Launcher{"JOB_COMPLETION_INDEX", nullptr},
                                  Launcher{"AWS_BATCH_JOB_ARRAY_INDEX", nullptr}};

std::optional<int> parse_number(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [last, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || last != end || number < 0) return std::nullopt;
  return number;
}

// Set but empty counts as unset, as it does for the trainer's ranks.
bool has(const Environment& environment, const char* name) {
  const char* text = environment(name);
  return text && *text;
}

int number_of(const Environment& environment, const char* name) {
  const std::string text = environment(name);
  if (const auto number = parse_number(text)) return *number;
  throw Error({.where = std::string(name) + "=" + text,
               .what = "must be a whole number, 0 or more",
               .fix = "pass --part i/n instead"},
              Exit::usage);
}

Part checked(Part part) {
  if (part.n > 0 && part.index < part.n) return part;
  throw Error({.where = part.source,
               .what = "got part " + std::to_string(part.index) + " of " + std::to_string(part.n) +
                       ", parts must count from 0 without gaps to one less than their number",
               .fix = "pass --part i/n instead"},
              Exit::usage);
}

// A batch script itself has SLURM_PROCID=0 and the job's SLURM_NTASKS: they tell a part in a step
// of srun only, and there not when it is one task of an array.
bool is_set(const Environment& environment, const Launcher& launcher) {
  if (!has(environment, launcher.index) || (launcher.count && !has(environment, launcher.count)))
    return false;
  if (std::string(launcher.index) != "SLURM_PROCID") return true;
  return has(environment, "SLURM_STEP_ID") && (!has(environment, "SLURM_ARRAY_TASK_ID") ||
                                               std::string(environment(launcher.count)) != "1");
}

std::optional<Part> ask(const Environment& environment, const Launcher& launcher, int n) {
  if (!is_set(environment, launcher)) return std::nullopt;
  const int index = number_of(environment, launcher.index);
  if (launcher.count) {
    return checked({index, number_of(environment, launcher.count),
                    std::string(launcher.index) + " and " + launcher.count});
  }
  if (n == 0) {
    throw Error({.where = "",
                 .what = std::string(launcher.index) +
                         " is set, but does not tell how many parts there are",
                 .fix = "add --parts N"},
                Exit::usage);
  }
  return checked({index, n, std::string(launcher.index) + " and --parts"});
}

std::optional<Part> ask_slurm_array(const Environment& environment) {
  if (!has(environment, "SLURM_ARRAY_TASK_ID") || !has(environment, "SLURM_ARRAY_TASK_COUNT"))
    return std::nullopt;
  const auto number = [&](const char* name, int otherwise) {
    return has(environment, name) ? number_of(environment, name) : otherwise;
  };
  const int step = std::max(1, number("SLURM_ARRAY_TASK_STEP", 1));
  const int above =
      number_of(environment, "SLURM_ARRAY_TASK_ID") - number("SLURM_ARRAY_TASK_MIN", 0);
  const int index = above >= 0 && above % step == 0 ? above / step : -1;
  const Part part{index, number_of(environment, "SLURM_ARRAY_TASK_COUNT"),
                  "SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT"};
  return index < 0 ? checked({part.n, part.n, part.source}) : checked(part);
}

}  // namespace

Part parse_part(const std::string& text) {
  const std::size_t cut = text.find('/');
  const auto index = parse_number(text.substr(0, cut));
  const auto n = cut == std::string::npos ? std::nullopt : parse_number(text.substr(cut + 1));
  if (index && n && *index < *n) return {*index, *n, "--part"};
  throw Error(
      {.where = "--part " + text, .what = "must be i/n with i from 0 to n - 1, for instance 0/4"},
      Exit::usage);
}

Part part_of_launcher(const Environment& environment, int n) {
  for (const Launcher& launcher : kBeforeArrays) {
    if (auto part = ask(environment, launcher, n)) return *part;
  }
  if (auto part = ask_slurm_array(environment)) return *part;
  for (const Launcher& launcher : kAfterArrays) {
    if (auto part = ask(environment, launcher, n)) return *part;
  }
  throw Error(
      {.where = "",
       .what = "no --part given, and no launcher has set its variables (torchrun, Open MPI, "
               "PMI, Slurm's srun or array, Kubernetes Indexed Job, AWS Batch array)",
       .fix = "pass --part i/n with i from 0"},
      Exit::usage);
}

std::vector<bool> shards_of_others(const Plan& plan, const Part& part) {
  std::vector<bool> others;
  for (const PlannedShard& shard : plan.shards)
    others.push_back(shard.group % part.n != part.index);
  return others;
}

}  // namespace letterpress
