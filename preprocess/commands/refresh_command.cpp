#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "letterpress/base/bytes_text.h"
#include "preprocess/commands/commands.h"
#include "preprocess/commands/stored_options.h"
#include "preprocess/pipeline/refresh.h"

namespace letterpress {
namespace {

constexpr int kLowestPriority = 19;  // setpriority(2)

struct RefreshFlags {
  std::string store;
  int views = 1, threads = 0;
  bool follow = false, json = false;
};

std::string text_of(const Refreshed& round) {
  std::string text = fmt::format("snapshot {}: view{} {} drawn anew, {} rows in {:.1f} s",
                                 round.generation, round.views.size() > 1 ? "s" : "",
                                 fmt::join(round.views, ", "), round.rows, round.seconds);
  if (!round.removed.empty())
    text +=
        fmt::format("; snapshot{} {} removed, {}", round.removed.size() > 1 ? "s" : "",
                    fmt::join(round.removed, ", "), bytes_text(static_cast<double>(round.bytes)));
  return text;
}

nlohmann::ordered_json json_of(const Refreshed& round) {
  return {{"generation", round.generation}, {"views", round.views},     {"rows", round.rows},
          {"seconds", round.seconds},       {"removed", round.removed}, {"bytes", round.bytes}};
}

int run_refresh(const RefreshFlags& flags) {
  end_soon_when_stopped();
  const StopRequest& stop = stop_by_signal();
  const auto options = [&] {
    BuildOptions stored = stored_options(flags.store);
    stored.store = flags.store;
    stored.threads = flags.threads;
    return stored;
  };
  // One line for each round, for people or for programs.
  const auto tell = [&](const Refreshed& round) {
    std::cout << (flags.json ? json_of(round).dump() : text_of(round)) << std::endl;
  };
  const auto fail = [](const Error& error) {
    std::cerr << "letterpress-preprocess refresh: " << error.what() << "; trying again in a minute"
              << std::endl;
  };
  const auto wait = [](const std::filesystem::path& plan) {
    std::cerr << "letterpress-preprocess refresh: waits, as parts may be at work on the plan "
              << plan.string()
              << "; publish it with `reduce`, or remove its folder when nobody works on it"
              << std::endl;
  };
  if (flags.follow) {
    (void)setpriority(PRIO_PROCESS, 0, kLowestPriority);
    refresh_for_runs(flags.store, options, flags.views, {tell, fail, wait}, stop);
  } else {
    const Refreshed round = refresh(options(), flags.views, stop);
    if (!stop) tell(round);
  }
  return stop ? 128 + stop.signal() : 0;
}

}  // namespace

Command refresh_command() {
  using F = Flag<RefreshFlags>;
  FlagTable<RefreshFlags> table;
  table.add({store_flag<RefreshFlags>(),
             F("views", &RefreshFlags::views, "how many of the augmented views are drawn anew")
                 .at_least(1, "1 or more"),
             F("follow", &RefreshFlags::follow,
               "go on, at the lowest priority: once more whenever a training has taken up the "
               "newest snapshot (fit --snapshot follow), until SIGTERM"),
             threads_flag<RefreshFlags>(),
             json_flag<RefreshFlags>("one JSON object per round in place of its line")});
  return command(
      "refresh",
      "redraws the oldest views, then removes snapshots that differ only in redrawn views", table,
      run_refresh);
}

}  // namespace letterpress
