#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

#include "letterpress/base/error.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/commands/stored_options.h"
#include "preprocess/lint/lint.h"
#include "preprocess/options/build_flags.h"
#include "preprocess/options/tile_flags.h"
#include "preprocess/pipeline/build.h"

namespace letterpress {
namespace {

struct BuildFlags {
  BuildOptions options{};
  bool json = false, quiet = false, verbose = false;
};

using Work = BuildReport (*)(const BuildOptions& options, BuildListener& listener,
                             const StopRequest& stop);

// Findings of a new snapshot, by kind: those that its tables tell. A store that was published stays
// so, whatever comes now; `verify` and the next build tell of damage.
std::map<std::string, std::int64_t> count_findings(const BuildReport& report,
                                                   const BuildOptions& options) {
  std::map<std::string, std::int64_t> counts;
  if (!report.published || report.accounting.tiles) return counts;
  try {
    const Store store = Store::open(options.store);
    const SnapshotReader reader(store, store.snapshot(report.generation));
    for (const Finding& finding : lint_tables(store, reader, report.ledger, {}))
      ++counts[finding.kind];
  } catch (const Error& error) {
    counts.clear();
    std::cerr << "what lint finds is not counted: " << error.what() << "\n";
  }
  return counts;
}

int run_build(const BuildFlags& flags, Work work) {
  const BuildOptions& options = flags.options;
  end_soon_when_stopped();
  validate(options);
  if (flags.verbose) std::cout << "configuration " << to_json(options) << std::endl;
  BuildReport report;
  if (flags.quiet) {
    BuildListener silent;
    report = work(options, silent, stop_by_signal());
  } else {
    ProgressListener listener;
    report = work(options, listener, stop_by_signal());
  }
  report.findings = count_findings(report, options);
  if (!flags.quiet) std::cout << summary_text(report, options);
  if (flags.json) std::cout << summary_json(report, options) << '\n';
  return report.stopped_by ? 128 + report.stopped_by : 0;
}

// Flags that are not given are as in the store's last build.
Command command_of(const std::string& name, const std::string& summary, Work work) {
  FlagTable<BuildFlags> table;
  using F = Flag<BuildFlags>;
  table.include(build_flags(), &BuildFlags::options)
      .add({json_flag<BuildFlags>(),
            F("quiet", &BuildFlags::quiet,
              "print errors only, and the object of --json; no progress, no notes, no summary"),
            F("verbose", &BuildFlags::verbose, "print the value of every flag first")});
  return command(name, summary, table, [work](const Given<BuildFlags>& given) {
    BuildFlags flags{.options = stored_options(given.options.options.store)};
    given.apply(flags);
    refuse_without_use(flags.options, given.names);
    return run_build(flags, work);
  });
}

}  // namespace

Command build_command() {
  return command_of("build",
                    "prepares pictures; a flag that is not given is as in the store's last build",
                    build);
}

Command plan_command() {
  return command_of("plan",
                    "first of three steps that many machines share: what `build` would do, for "
                    "`map` and `reduce`",
                    plan);
}

}  // namespace letterpress
