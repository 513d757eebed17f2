#include "trainer/fit/options/monitor.h"

#include <algorithm>
#include <array>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/flag_value.h"

namespace letterpress {
namespace {

const std::array<std::string, 8> kMetrics{"loss",
                                          "map",
                                          "map50",
                                          "precision",
                                          "precision@recall=SHARE",
                                          "recall",
                                          "recall@precision=SHARE",
                                          "top1"};

}  // namespace

std::optional<Goal> parse_goal(const std::string& metric) {
  if (metric.find('@') == std::string::npos) return std::nullopt;
  for (const auto& [start, of] : {std::pair("recall@precision=", Goal::Of::recall),
                                  std::pair("precision@recall=", Goal::Of::precision)}) {
    if (!metric.starts_with(start)) continue;
    const auto wanted = share_of(metric.substr(std::string(start).size()));
    if (wanted && *wanted > 0 && *wanted <= 1) return Goal{of, *wanted};
  }
  throw Error("--monitor is '" + metric +
                  "', must be recall@precision=SHARE or precision@recall=SHARE with a share over 0 "
                  "and up to 1, for instance recall@precision=0.95",
              Exit::usage);
}

void validate_monitor(const std::string& metric) {
  const bool known =
      parse_goal(metric) || std::find(kMetrics.begin(), kMetrics.end(), metric) != kMetrics.end();
  if (!known && !metric.empty())
    throw Error({.where = "--monitor", .what = unknown_name("metric", metric, kMetrics)},
                Exit::usage);
}

std::optional<Monitor> choose_monitor(const FitOptions& options, bool has_val, bool of_classifier) {
  const std::string metric = !options.monitor.empty() ? options.monitor
                             : !has_val               ? ""
                             : of_classifier          ? "top1"
                                                      : "map";
  const bool of_val = !metric.empty() && metric != "loss";
  if (of_val && !has_val) {
    throw Error({.where = "--monitor " + metric,
                 .what = "is a metric of the val split, for which the store has no ground truth",
                 .fix = "use --monitor loss, or build the store with --val"},
                Exit::configuration);
  }
  if (of_val && (metric == "top1") != of_classifier) {
    throw Error(
        {.where = "--monitor " + metric,
         .what = std::string("is not a metric of ") +
                 (of_classifier ? "classifiers" : "models that find boxes"),
         .fix = of_classifier ? "use top1 or loss"
                              : "use map, map50, precision, recall, recall@precision=SHARE, "
                                "precision@recall=SHARE or loss"},
        Exit::configuration);
  }
  if (!metric.empty())
    return Monitor{metric, options.mode == "auto" ? metric != "loss" : options.mode == "max"};
  const char* asks = options.patience > 0            ? "--patience"
                     : options.schedule == "plateau" ? "--schedule plateau"
                                                     : nullptr;
  if (!asks) return std::nullopt;
  throw Error({.where = asks,
               .what = "goes by a metric of the val split, for which the store has no ground truth",
               .fix = "add --monitor loss, or build the store with --val"},
              Exit::configuration);
}

}  // namespace letterpress
