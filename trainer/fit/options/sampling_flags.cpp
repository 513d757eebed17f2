#include "letterpress/base/error.h"
#include "trainer/fit/options/fit_flags.h"
#include "trainer/loader/class_balance.h"
#include "trainer/loader/sample_stream.h"

namespace letterpress {
namespace {

using O = FitOptions;
using F = Flag<O>;

// flag: what takes pictures from all over the store.
void check_no_window(const O& options, const std::string& flag) {
  if (window_of(options.order).block == 0) return;
  throw Error(Message{.what = flag + " takes pictures from all over the store",
                      .fix = "--order window is not for it, leave one of them out"},
              Exit::usage);
}

void check_replay(const O& options) {
  if (options.replay == 1) return;
  if (options.init.empty() && options.snapshot != kFollow && !options.resume) {
    throw Error(Message{.where = "--replay",
                        .what = "there are no pictures known before",
                        .fix = "give --init or --snapshot follow, too"},
                Exit::usage);
  }
  check_no_window(options, "--replay");
}

void check_alone(const O& options) {
  const bool balanced = is_balanced(options.sample);
  if (!balanced && options.hard_negatives == 0) return;
  const std::string flag = balanced ? "--sample balanced" : "--hard-negatives";
  if (options.replay != 1) {
    throw Error(Message{.where = flag,
                        .what = "--replay says itself which pictures an epoch has",
                        .fix = "leave one of them out"},
                Exit::usage);
  }
  check_no_window(options, flag);
}

void check_rare_below(const O& options) {
  if (options.rare_below == O{}.rare_below || is_balanced(options.sample)) return;
  throw Error(Message{.where = "--rare-below",
                      .what = "says what is rare for --sample balanced, which is not given",
                      .fix = "add it, or leave --rare-below out"},
              Exit::usage);
}

}  // namespace

void add_sampling_flags(FlagTable<FitOptions>& table) {
  table.add({
      F("replay", &O::replay,
        "share of the pictures that --init knows (with --snapshot follow: those before a newer "
        "snapshot) that an epoch has beside the new ones; in turn, so that all come back")
          .fixed()
          .between(0, 1, "0 to 1, a share of the pictures known before")
          .check(check_replay),
      F("sample", &O::sample,
        "all: each picture once per epoch; balanced: pictures with a rare class more often, "
        "sqrt(--rare-below / the share of the pictures that show it) times, in turn (repeat "
        "factor sampling)")
          .fixed()
          .choices({"all", "balanced"})
          .check(check_alone),
      F("rare-below", &O::rare_below,
        "--sample balanced: a class in a smaller share of the pictures is rare; 0: the share of "
        "the middle one of the classes")
          .fixed()
          .between(0, 1, "0 (the middle class's share) to 1")
          .check(check_rare_below),
      F("hard-negatives", &O::hard_negatives,
        "share of an epoch's places that pictures without boxes get beside their own, in "
        "proportion to their last loss: what the run falsely detects; 0: none")
          .fixed()
          .between(0, 0.9, "0 (none) to 0.9 of an epoch"),
  });
}

}  // namespace letterpress
