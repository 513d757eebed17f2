#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>

#include "trainer/commands/bench_metrics.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// What a training will take and how fast it will be, measured on one rank with its share of a
/// batch.
struct DryRun {
  std::string model{}, device{}, precision{};
  int ranks = 1, batch = 0, parts = 1;  ///< batch: pictures per step over all ranks
  int side = 0;  ///< pixels that the steps were measured at: the largest that the run will have
  std::int64_t parameters = 0;
  struct Memory {              ///< bytes of tensors on the device
    std::int64_t weights = 0;  ///< parameters and statistics
    std::int64_t beside = 0;   ///< the optimiser's moments, averaged weights
    std::int64_t batch = 0;  ///< input that lies on the device; on a CPU it is the loader's, 0 here
    std::int64_t activations = 0;  ///< what a step takes beyond these at its peak, gradients too
    std::int64_t peak() const { return weights + beside + batch + activations; }
  } memory{};
  double pictures_per_s = 0;  ///< of all ranks together
  std::int64_t pictures = 0;  ///< of an epoch
  int epochs = 0;
  std::string reading{};   ///< how rows are read, and why so
  double row_bytes = 0;    ///< that the loader reads per picture
  Supply supply{};         ///< pictures/s that the loader gives; bus: to the devices of all ranks
  std::string not_cold{};  ///< "tmpfs": the file system that is memory, from which no row can be
                           ///< read cold; else empty
  std::string verdict{};   ///< what is the limit
};

/// Measures: a few steps of the model with its start weights, frozen layers, operations on the
/// device and largest side, then the loader. Writes nothing, pins nothing; `out` may be empty. The
/// rows that are read leave the page cache once. Throws Error as a training would, before anything
/// is measured. stage: told what is measured next.
DryRun dry_run(const FitOptions& options, const std::function<void(const std::string&)>& stage);

void print(const DryRun& run, std::ostream& out);
nlohmann::json json_of(const DryRun& run);

}  // namespace letterpress
