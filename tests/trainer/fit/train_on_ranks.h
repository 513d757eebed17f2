#pragma once
#include <string>

#include "tests/trainer/fit/run_bench.h"
#include "tests/trainer/parallel/ranks_in_threads.h"

namespace letterpress {

/// A training by `ranks` threads; rank 0's result, or the Error of the first rank that threw.
inline FitResult train_on(int ranks, const FitOptions& options, const StopRequest& stop = {}) {
  FitResult result;
  on_ranks(ranks, [&](RankGroup* group) {
    FitOptions own = options;
    own.group = group;
    own.threads = 1;
    const FitResult done = Trainer(own).run(stop);
    if (!group || group->is_first()) result = done;
  });
  return result;
}

/// Of a run's results.csv.
inline double number(const std::filesystem::path& run, std::size_t epoch,
                     const std::string& column) {
  const auto csv = read_csv(run / "results.csv");
  const auto at = std::find(csv[0].begin(), csv[0].end(), column);
  return std::stod(csv.at(epoch).at(static_cast<std::size_t>(at - csv[0].begin())));
}

/// The loss of the last epoch that `ranks` threads train.
inline double loss_on_ranks(int ranks, const FitOptions& options) {
  train_on(ranks, options);
  return number(options.out, static_cast<std::size_t>(options.epochs), "loss");
}

}  // namespace letterpress
