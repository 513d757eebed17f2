#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/pipeline/steps.h"
#include "preprocess/plan/plan_folder.h"

namespace letterpress {
namespace {

struct MapFlags {
  std::string plan, part;
  int parts = 0, threads = 0;
  bool json = false;
};

void require_plan(bool given, const char* missing) {
  if (!given)
    throw Error(
        Message{.what = missing, .fix = "name the file that `letterpress-preprocess plan` printed"},
        Exit::usage);
}

Part chosen_part(const MapFlags& flags) {
  const Part part = !flags.part.empty() ? parse_part(flags.part)
                                        : part_of_launcher(own_environment(), flags.parts);
  if (flags.parts == 0 || flags.parts == part.n) return part;
  throw Error({.where = "--parts " + std::to_string(flags.parts),
               .what = part.source + " says that there are " + std::to_string(part.n),
               .fix = "leave --parts out, or say --part i/" + std::to_string(flags.parts)},
              Exit::usage);
}

void print(const MapFlags& flags, const Part& part, const MapReport& report) {
  std::cout << "part " << part.index << "/" << part.n << ": ";
  if (report.stopped_by) {
    std::cout << "stopped by " << name_of_signal(report.stopped_by)
              << "; finished shards are kept, the same command goes on\n";
  } else {
    std::cout << report.shards << " shards, " << report.resumed
              << " of them finished by an earlier run\n";
  }
  if (!flags.json) return;
  const nlohmann::ordered_json json{{"outcome", report.stopped_by ? "stopped" : "mapped"},
                                    {"part", part.index},
                                    {"parts", part.n},
                                    {"part_from", part.source},
                                    {"shards", report.shards},
                                    {"shards_resumed", report.resumed}};
  std::cout << json.dump() << '\n';
}

int run_map(const MapFlags& flags) {
  end_soon_when_stopped();
  const Part part = chosen_part(flags);
  // In one write: ranks share a terminal.
  std::fputs(fmt::format("part {}/{}, from {}\n", part.index, part.n, part.source).c_str(), stderr);
  MapReport report;
  {
    ProgressListener listener;
    report = map_part({flags.plan, part, flags.threads, stop_by_signal()}, listener);
  }
  print(flags, part, report);
  return report.stopped_by ? 128 + report.stopped_by : 0;
}

struct ReduceFlags {
  std::string plan, store;
  bool json = false;
};

int run_reduce(const ReduceFlags& flags) {
  end_soon_when_stopped();
  const std::filesystem::path file =
      flags.plan.empty() ? only_plan(Store::open(flags.store)) : std::filesystem::path(flags.plan);
  ProgressListener listener;
  const BuildReport report = reduce_plan(file, listener);
  BuildOptions options = build_options_from_json(report.configuration);
  options.store = store_of_plan(file);
  std::cout << summary_text(report, options);
  if (flags.json) std::cout << summary_json(report, options) << '\n';
  return 0;
}

}  // namespace

Command map_command() {
  using F = Flag<MapFlags>;
  FlagTable<MapFlags> table;
  table.add({F("plan", &MapFlags::plan, "what `plan` printed, in the store that all machines share")
                 .check([](const MapFlags& flags) {
                   require_plan(!flags.plan.empty(), "no --plan given");
                 }),
             F("part", &MapFlags::part,
               "i/n, i from 0; without it, from the launcher's variables: torchrun, Open MPI, "
               "PMI, Slurm, ..."),
             F("parts", &MapFlags::parts,
               "n, for launchers that tell only i: Kubernetes Indexed Job, AWS Batch array; 0: "
               "they tell it")
                 .at_least(0),
             threads_flag<MapFlags>(), json_flag<MapFlags>()});
  return command("map", "second step, on each machine: makes the shards of one part of a plan",
                 table, run_map);
}

Command reduce_command() {
  using F = Flag<ReduceFlags>;
  FlagTable<ReduceFlags> table;
  table.add(
      {F("plan", &ReduceFlags::plan, "what `plan` printed").check([](const ReduceFlags& flags) {
         require_plan(!flags.plan.empty() || !flags.store.empty(),
                      "neither --plan nor --store given");
       }),
       F("store", &ReduceFlags::store, "instead of --plan, when the store has one plan only"),
       json_flag<ReduceFlags>()});
  return command("reduce",
                 "third step, once: publishes the snapshot when every shard of the plan is there",
                 table, run_reduce);
}

}  // namespace letterpress
