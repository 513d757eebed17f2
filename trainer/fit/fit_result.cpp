#include "trainer/fit/fit_result.h"

#include "trainer/fit/opening/run.h"

namespace letterpress {
namespace {

std::map<std::string, double> mean_of(const std::vector<std::map<std::string, double>>& epochs) {
  std::map<std::string, double> mean;
  for (const std::map<std::string, double>& epoch : epochs)
    for (const auto& [name, value] : epoch)
      mean[name] += value / static_cast<double>(epochs.size());
  return mean;
}

}  // namespace

FitResult result_of(const Run& run) {
  const bool by_top1 = run.monitor && run.monitor->metric == "top1";
  return {.done = run.done,
          .metrics = run.metrics,
          .last_mean = mean_of(run.done.last_metrics),
          .best_top1 = by_top1 ? run.done.best.value : std::nullopt};
}

std::string note_of_nothing_found(const RunState& done) {
  if (!found_nothing(done) || has_collapsed(done)) return {};
  return "nothing was ever found in the val split: mAP50 0 in " +
         (done.epochs_done == 1 ? "its one epoch"
                                : "all " + std::to_string(done.epochs_done) + " epochs") +
         "; the first epochs from scratch are often so, --init or more --epochs get further; if "
         "it stays so, lower --lr, and look at the boxes with `letterpress-preprocess preview`";
}

std::string to_string(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return "complete";
    case Ending::stalled:
      return "stalled";
    case Ending::signal:
      return "signal";
    case Ending::out_of_time:
      return "out of time";
  }
  return {};
}

}  // namespace letterpress
