#include "trainer/fit/options/monitor.h"

#include <algorithm>
#include <array>

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
    throw Error("--monitor: " + unknown_name("metric", metric, kMetrics), Exit::usage);
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
    throw Error({.where = "--monitor " + metric,
                 .what = "is a metric of the val split, which the store does not have",
                 .fix = "use --monitor loss, or build the store with --val"},
                Exit::configuration);
  }
  if (of_val && (metric == "top1") != of_classifier) {
    throw Error(
        {.where = "--monitor " + metric,
         .what = std::string("is not a metric of ") +
                 (of_classifier ? "classifiers" : "models that find boxes"),
         .fix = of_classifier ? "use top1 or loss" : "use map, map50, precision, recall or loss"},
        Exit::configuration);
  }
  if (!metric.empty())
    return Monitor{metric, options.mode == "auto" ? metric != "loss" : options.mode == "max"};
  const char* asks = options.patience > 0            ? "--patience"
                     : options.schedule == "plateau" ? "--schedule plateau"
                                                     : nullptr;
  if (!asks) return std::nullopt;
  throw Error({.where = asks,
               .what = "goes by a metric of the val split, which the store does not have",
               .fix = "add --monitor loss, or build the store with --val"},
              Exit::configuration);
}

}  // namespace letterpress
