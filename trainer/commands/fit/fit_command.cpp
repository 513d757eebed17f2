#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/commandline/threads_flag.h"
#include "trainer/commands/commands.h"
#include "trainer/commands/evaluate_flags.h"
#include "trainer/commands/fit/dry_run.h"
#include "trainer/commands/fit/fit_ranks.h"
#include "trainer/fit/opening/known_pictures.h"
#include "trainer/fit/opening/run_folder.h"
#include "trainer/fit/options/fit_flags.h"
#include "trainer/fit/schedule_plot.h"
#include "trainer/parallel/rank_assignment.h"

namespace letterpress {
namespace {

struct FitFlags {
  FitOptions options;
  bool json = false, show_schedule = false, if_new = false, dry_run = false;
};

// Also as files where --out is given.
int show_schedule(const FitOptions& options, bool json) {
  const SchedulePlot plot = schedule_plot(options);
  std::cout << plot.text();
  nlohmann::json files = nlohmann::json::array();
  if (!options.out.empty()) {
    check_outside(options.out, options.store);
    make_folders(options.out);
    replace_file(options.out / "schedule.svg", plot.svg());
    replace_file(options.out / "schedule.csv", plot.csv());
    std::cout << "also in " << (options.out / "schedule.svg").string() << " and schedule.csv\n";
    files = {(options.out / "schedule.svg").string(), (options.out / "schedule.csv").string()};
  }
  if (json)
    std::cout << nlohmann::json{{"files", files}}.dump(-1, ' ', false,
                                                       nlohmann::json::error_handler_t::replace)
              << "\n";
  return 0;
}

int show_dry_run(FitOptions options, bool json) {
  end_soon_when_stopped();  // it writes nothing
  options.threads = tell(limit_to_cores(options.threads));
  options.readers = tell(limit_readers(options.readers));
  const DryRun run = dry_run(options, [](const std::string& what) {
    std::cerr << "letterpress-trainer fit: measuring " << what << std::endl;
  });
  print(run, std::cout);
  if (json) std::cout << json_of(run).dump() << "\n";
  return 0;
}

int tell_known(const std::string& known, bool json) {
  std::cout << (json ? R"({"ending":"nothing new"})" : known + "; nothing to do") << "\n";
  return 0;
}

int fit(const Given<FitFlags>& given) {
  const FitFlags& flags = given.options;
  const FitOptions options = resumed_options(flags.options, given.names);
  if (flags.show_schedule) return show_schedule(options, flags.json);
  if (flags.if_new) {
    FitOptions asked = options;
    asked.init = flags.options.init;  // not what a run that goes on began with
    asked.pretrained = flags.options.pretrained;
    if (const auto known = trained_already(asked)) return tell_known(*known, flags.json);
  }
  if (flags.dry_run) return show_dry_run(options, flags.json);
  return fit_on_ranks(options, flags.json);
}

// Of several ranks each that fails would print an object, and the first may know least of why.
int run_fit(const Given<FitFlags>& given) {
  try {
    return fit(given);
  } catch (const Error& error) {
    if (rank_assignment(own_environment()).world_size > 1) throw ToldError(error);
    throw;
  }
}

}  // namespace

Command fit_command() {
  using F = Flag<FitFlags>;
  FlagTable<FitFlags> table;
  table.include(fit_flags(), &FitFlags::options)
      .add({F("show-schedule", &FitFlags::show_schedule,
              "only plot the learning rate; with --out also as schedule.svg and schedule.csv "
              "there"),
            F("dry-run", &FitFlags::dry_run,
              "only measure: memory, pictures/s, what the loader must deliver and delivers, and "
              "which of them is the limit; writes nothing"),
            F("if-new", &FitFlags::if_new,
              "exit 0 at once when the newest snapshot was trained on already, to its end, by the "
              "run in --out or the one of --init"),
            json_flag<FitFlags>()});
  return command("fit", "shards -> a trained model", table, run_fit);
}

}  // namespace letterpress
