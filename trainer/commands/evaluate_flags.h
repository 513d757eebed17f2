#pragma once
#include <string>

#include "letterpress/commandline/progress.h"
#include "trainer/fit/evaluation/evaluate.h"

namespace CLI {
class App;
}

namespace letterpress {

/// Flags of commands that look at a checkpoint on pictures of a store: where and how its network
/// computes, and how rows are read.
struct EvaluateFlags {
  std::string device = "auto", precision = "fp32", read = "auto";
  int batch = 16;                ///< pictures at once
  int threads = 0, readers = 0;  ///< 0: all cores; min(4, cores)
};
void define(CLI::App& app, EvaluateFlags& flags);
/// Throws Error (usage) naming the flag.
void validate(const EvaluateFlags& flags);

/// The device, set up for this process. Throws Error (configuration) when it is not there.
torch::Device set_up_device(const EvaluateFlags& flags);
/// On that device; a signal ends it. `progress` is told of each picture and once how rows are read;
/// it outlives the answer. Throws Error (configuration) when the device does not compute so.
EvaluateOptions evaluate_options(const EvaluateFlags& flags, torch::Device device,
                                 Progress& progress);

}  // namespace letterpress
