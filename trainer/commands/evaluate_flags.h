#pragma once
#include <string>
#include <vector>

#include "letterpress/commandline/flags.h"
#include "letterpress/commandline/json_flag.h"
#include "letterpress/commandline/progress.h"
#include "letterpress/commandline/threads_flag.h"
#include "trainer/fit/evaluation/evaluate.h"
#include "trainer/fit/options/snapshot_flag.h"
#include "trainer/loader/rows/read_choice.h"

namespace letterpress {

/// Flags of commands that look at a checkpoint on pictures of a store: where and how its network
/// computes, and how rows are read.
struct EvaluateFlags {
  std::string device = "auto", precision = "fp32", read = "auto";
  int batch = 16;                ///< pictures at once
  int threads = 0, readers = 0;  ///< 0: all cores; min(4, cores)
};
const FlagTable<EvaluateFlags>& evaluate_flags();

/// Flags that most commands have, as members of these names or, of `access`, as Flag takes it.
template <class Flags>
Flag<Flags> snapshot_flag(const std::string& help = "generation of the store, or latest") {
  return Flag<Flags>("snapshot", &Flags::snapshot, help).check([](const Flags& flags) {
    require_snapshot(flags.snapshot);
  });
}
template <class Flags>
Flag<Flags> checkpoint_flag() {
  return Flag<Flags>("checkpoint", &Flags::checkpoint,
                     "a checkpoint, or a run's folder (its best one)");
}
template <class Flags, class Access>
Flag<Flags> read_flag(Access access) {
  const std::vector<std::string> names(kReadNames.begin(), kReadNames.end());
  return Flag<Flags>("read", access, "how rows are read: " + either_of(names)).choices(names);
}

/// The device, set up for this process. Throws Error (configuration) when it is not there.
torch::Device set_up_device(const EvaluateFlags& flags);
/// On that device; a signal ends it. `progress` is told of each picture and once how rows are read;
/// it outlives the result. Throws Error (configuration) when the device does not compute so.
EvaluateOptions evaluate_options(const EvaluateFlags& flags, torch::Device device,
                                 Progress& progress);

}  // namespace letterpress
