#include "trainer/fit/monitor.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/require_flag.h"

namespace letterpress {
namespace {

const std::array<std::string, 6> kFigures{"loss", "map", "map50", "precision", "recall", "top1"};

}  // namespace

void validate_monitor(const std::string& figure, const std::string& mode) {
  const bool known = std::find(kFigures.begin(), kFigures.end(), figure) != kFigures.end();
  if (!known && !figure.empty())
    throw Error("--monitor: " + unknown_name("figure", figure, kFigures), Exit::usage);
  require_flag(mode == "auto" || mode == "max" || mode == "min", "mode", "'" + mode + "'",
               "auto, max or min");
}

std::optional<Monitor> choose_monitor(const FitOptions& options, bool has_val, bool of_classifier) {
  const std::string figure = !options.monitor.empty() ? options.monitor
                             : !has_val               ? ""
                             : of_classifier          ? "top1"
                                                      : "map";
  const bool of_val = !figure.empty() && figure != "loss";
  if (of_val && !has_val) {
    throw Error("--monitor " + figure +
                    ": is a figure of the val split, which the store does not have; use --monitor "
                    "loss, or build the store with --val",
                Exit::configuration);
  }
  if (of_val && (figure == "top1") != of_classifier) {
    throw Error(
        "--monitor " + figure + ": is no figure of " +
            (of_classifier ? "classifiers; use top1 or loss"
                           : "models that find boxes; use map, map50, precision, recall or loss"),
        Exit::configuration);
  }
  if (!figure.empty())
    return Monitor{figure, options.mode == "auto" ? figure != "loss" : options.mode == "max"};
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
  if (monitor.figure == "loss")
    return std::accumulate(result.terms.begin(), result.terms.end(), 0.0);
  const EpochResult::Figures& figures = result.figures.value();
  if (monitor.figure == "top1") return figures.top1.value();
  if (monitor.figure == "map50") return figures.map50;
  if (monitor.figure == "precision") return figures.precision;
  return monitor.figure == "recall" ? figures.recall : figures.map;
}

}  // namespace letterpress
