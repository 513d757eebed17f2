#include "trainer/commands/fit/fit_summary.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "letterpress/base/error.h"
#include "letterpress/commandline/progress.h"

namespace letterpress {
namespace {

constexpr const char* kDiverged = "diverged";

/// "mAP50 0.7421, mAP50-95 0.4012" or "top-1 0.9065", of values as named_metrics() names them.
std::string metrics_text(const std::map<std::string, double>& metrics) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(4);
  if (const auto top1 = metrics.find("top1"); top1 != metrics.end()) {
    text << "top-1 " << top1->second;
  } else {
    text << "mAP50 " << metrics.at("map50") << ", mAP50-95 " << metrics.at("map");
  }
  return text.str();
}

// Exit code 65.
bool failed(const FitResult& result) { return result.signal == 0 && has_diverged(result.done); }

std::string last_epochs(const FitResult& result) {
  if (!result.metrics) return {};
  const std::string text = "; last epoch: " + metrics_text(named_metrics(result.metrics));
  if (result.last_mean.empty()) return text;
  return text + "; mean of the last three: " + metrics_text(result.last_mean);
}

}  // namespace

std::string summary_json(const FitOptions& options, const FitResult& result) {
  const RunState& done = result.done;
  nlohmann::json summary{{"out", options.out.string()},
                         {"step", done.step},
                         {"epochs", done.epochs_done},
                         {"seconds", result.seconds},
                         {"skipped_steps", done.skipped_steps},
                         {"signal", result.signal},
                         {"ending", failed(result) ? kDiverged : to_string(result.ending)}};
  if (result.peak_memory > 0) summary["peak_memory"] = result.peak_memory;
  if (done.steps_without_target > 0) summary["steps_without_target"] = done.steps_without_target;
  if (result.metrics && result.metrics->top1) {
    summary["top1"] = *result.metrics->top1;
  } else if (result.metrics) {
    summary["map50"] = result.metrics->map50;
    summary["map50_95"] = result.metrics->map;
    summary["precision"] = result.metrics->precision;
    summary["recall"] = result.metrics->recall;
  }
  if (result.last_loss) summary["last_loss"] = *result.last_loss;
  if (done.best_epoch > 0) summary["best"]["epoch"] = done.best_epoch;
  if (done.best_epoch > 0 && done.best_map >= 0) {
    summary["best"]["map50"] = done.best_map50;
    summary["best"]["map50_95"] = done.best_map;
  }
  if (result.best_top1) summary["best"]["top1"] = *result.best_top1;
  for (const auto& [name, value] : result.last_mean)
    summary["last_three"][name == "map" ? "map50_95" : name] = value;
  return summary.dump();
}

std::string diverged_json(const FitOptions& options) {
  return nlohmann::json{{"out", options.out.string()}, {"ending", kDiverged}}.dump();
}

std::string summary_text(const FitOptions& options, const FitResult& result) {
  const RunState& done = result.done;
  std::ostringstream text;
  text << options.out.string() << ": " << done.epochs_done << " epochs, " << done.step
       << " steps in " << duration_text(result.seconds);
  if (done.best_epoch > 0) {
    text << "; best epoch " << done.best_epoch;
  }
  if (done.best_epoch > 0 && done.best_map >= 0) {
    text << std::fixed << std::setprecision(4) << ": mAP50 " << done.best_map50 << ", mAP50-95 "
         << done.best_map;
  }
  if (result.best_top1)
    text << std::fixed << std::setprecision(4) << ": top-1 " << *result.best_top1;
  text << last_epochs(result);
  if (result.ending == Ending::stalled) text << "; stopped early, the monitored metric stalled";
  if (result.ending == Ending::out_of_time) text << "; out of time, --resume goes on";
  if (done.skipped_steps > 0)
    text << "; " << done.skipped_steps << " steps changed nothing, their gradients were not finite";
  if (done.steps_without_target > 0)
    text << "; no box became a target in the last " << done.steps_without_target << " steps";
  if (has_collapsed(done))
    text << std::setprecision(4) << std::defaultfloat
         << (found_nothing(done) ? "; nothing was ever found in the val split, and" : ";")
         << " the loss of an epoch, " << done.most_epoch_loss
         << ", was more than a hundred times that of the first step, " << done.first_loss;
  if (has_diverged(done)) {
    text << ": the training diverged";
    if (result.last_loss)
      text << std::setprecision(4) << std::defaultfloat << " (last loss " << *result.last_loss
           << ")";
    text << ", use a lower --lr or a longer --warmup";
  }
  return text.str();
}

int exit_code(const FitResult& result) {
  if (result.signal != 0) return 128 + result.signal;
  return failed(result) ? static_cast<int>(Exit::data) : 0;
}

}  // namespace letterpress
