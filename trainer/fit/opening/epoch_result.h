#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace letterpress {

/// What one epoch gave: a line of results.csv.
struct EpochResult {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t step = 0;   ///< optimiser steps done at its end
  std::vector<double>
      terms{};              ///< loss terms per picture, means over the epoch, as Loss::term_names()
  double lr = 0;            ///< of the last step
  double images_per_s = 0;  ///< while training
  double data_wait = 0;     ///< 0..1: share of the training time spent waiting for data
  struct Metrics {
    double map50 = 0, map = 0, precision = 0,
           recall = 0;  ///< of the val split, of models that find boxes
    std::optional<double>
        top1{};  ///< of classifiers, instead of them: share of the val pictures that is right
    std::optional<std::pair<std::string, double>>
        goal{};  ///< --monitor with a goal: "recall@precision=0.95", and what it came to
    std::optional<double> loss{};  ///< per picture of the val split, as training has it
  };
  std::optional<Metrics> metrics{};  ///< none: no val split
  double seconds = 0;  ///< of the whole run so far, validation included, all resumptions together
};

/// As a checkpoint has them: "map50", "map", "precision", "recall", or "top1"; empty without any.
/// The loss is not among them: nothing is chosen by it.
std::map<std::string, double> named_metrics(const std::optional<EpochResult::Metrics>& metrics);
/// Their way back; none where they are not there.
std::optional<EpochResult::Metrics> metrics_named(const std::map<std::string, double>& metrics);

}  // namespace letterpress
