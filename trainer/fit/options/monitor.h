#pragma once
#include <optional>
#include <string>

#include "trainer/fit/options/fit_options.h"
#include "trainer/metrics/operating_point.h"

namespace letterpress {

/// Which metric of an epoch decides what is best, when to stop and when the rate falls on a
/// plateau.
struct Monitor {
  std::string metric;  ///< "map", "map50", "precision", "recall" (classifiers: "top1") of the val
                       ///< split, or "loss" of the training; as parse_goal() takes it
  bool higher_is_better = true;
};

/// "recall@precision=0.95" or "precision@recall=98%"; nothing for a metric without '@'. Throws
/// Error (usage) for another text with one.
std::optional<Goal> parse_goal(const std::string& metric);

/// Throws Error (usage) naming --monitor; an unknown metric lists the known ones, nearest first.
void validate_monitor(const std::string& metric);

/// What --monitor and --mode ask for; by default map, of classifiers top1, nothing without a val
/// split. Throws Error (configuration) when a metric of the val split is asked for without one, the
/// model has no such metric, or --patience or --schedule plateau have none to go by.
std::optional<Monitor> choose_monitor(const FitOptions& options, bool has_val,
                                      bool of_classifier = false);

}  // namespace letterpress
