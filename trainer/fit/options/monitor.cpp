#include "trainer/fit/options/monitor.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/require_flag.h"

namespace letterpress {
namespace {

const std::array<std::string, 6> kMetrics{"loss", "map", "map50", "precision", "recall", "top1"};

}  // namespace

void validate_monitor(const std::string& metric, const std::string& mode) {
  const bool known = std::find(kMetrics.begin(), kMetrics.end(), metric) != kMetrics.end();
  if (!known && !metric.empty())
    throw Error("--monitor: " + unknown_name("figure", metric, kMetrics), Exit::usage);
  require_flag(mode == "auto" || mode == "max" || mode == "min", "mode", "'" + mode + "'",
               "auto, max or min");
}

std::optional<Monitor> choose_monitor(const FitOptions& options, bool has_val, bool of_classifier) {
  const std::string metric = !options.monitor.empty() ? options.monitor
                             : !has_val               ? ""
                             : of_classifier          ? "top1"
                                                      : "map";
  const bool of_val = !metric.empty() && metric != "loss";
  if (of_val && !has_val) {
    throw Error("--monitor " + metric +
                    ": is a figure of the val split, which the store does not have; use --monitor "
                    "loss, or build the store with --val",
                Exit::configuration);
  }
  if (of_val && (metric == "top1") != of_classifier) {
    throw Error(
        "--monitor " + metric + ": is no figure of " +
            (of_classifier ? "classifiers; use top1 or loss"
                           : "models that find boxes; use map, map50, precision, recall or loss"),
        Exit::configuration);
  }
  if (!metric.empty())
    return Monitor{metric, options.mode == "auto" ? metric != "loss" : options.mode == "max"};
  const char* asks = options.patience > 0            ? "--patience"
                     : options.schedule == "plateau" ? "--schedule plateau"
                                                     : nullptr;
  if (!asks) return std::nullopt;
  throw Error(std::string(asks) +
                  ": goes by a figure of the val split, which the store does not have; add "
                  "--monitor loss, or build the store with --val",
              Exit::configuration);
}

double monitored(const Monitor& monitor, const EpochResult& result) {
  if (monitor.metric == "loss")
    return std::accumulate(result.terms.begin(), result.terms.end(), 0.0);
  const EpochResult::Metrics& metrics = result.metrics.value();
  if (monitor.metric == "top1") return metrics.top1.value();
  if (monitor.metric == "map50") return metrics.map50;
  if (monitor.metric == "precision") return metrics.precision;
  return monitor.metric == "recall" ? metrics.recall : metrics.map;
}

}  // namespace letterpress
