#include <filesystem>
#include <iostream>
#include <optional>

#include "letterpress/base/error.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/progress_listener.h"
#include "preprocess/inputs/build_flags.h"
#include "preprocess/inputs/tile_flags.h"
#include "preprocess/pipeline/build.h"
#include "preprocess/plan/plan_folder.h"

namespace letterpress {
namespace {

struct BuildFlags {
  BuildOptions options{};
  bool json = false;
};

// What the last build of the store was told, or the first one that did not end; the defaults when
// there is none.
BuildOptions stored_options(const std::filesystem::path& store) {
  if (store.empty() || !std::filesystem::exists(store / "FORMAT")) return {};
  const Store opened = Store::open(store);
  if (const std::optional<Snapshot> snapshot = opened.latest())
    return build_options_from_json(snapshot->configuration_json);
  const std::optional<std::string> interrupted = interrupted_configuration(opened);
  return interrupted ? build_options_from_json(*interrupted) : BuildOptions{};
}

using Work = BuildReport (*)(const BuildOptions& options, BuildListener& listener,
                             const StopRequest& stop);

int run_build(const BuildOptions& options, Work work, bool json) {
  end_soon_when_stopped();
  validate(options);
  std::cout << "configuration " << to_json(options) << std::endl;
  BuildReport report;
  {
    ProgressListener listener;
    report = work(options, listener, stop_by_signal());
  }
  std::cout << summary_text(report, options);
  if (json) std::cout << summary_json(report, options) << '\n';
  return report.stopped_by ? 128 + report.stopped_by : 0;
}

// Flags that are not given are as in the store's last build.
Command command_of(const std::string& name, const std::string& summary, Work work) {
  FlagTable<BuildFlags> table;
  table.include(build_flags(), &BuildFlags::options).add({json_flag<BuildFlags>()});
  return command(name, summary, table, [work](const Given<BuildFlags>& given) {
    BuildFlags flags{.options = stored_options(given.options.options.store)};
    given.apply(flags);
    refuse_without_tile(flags.options, given.names);
    return run_build(flags.options, work, flags.json);
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
