#include "trainer/fit/opening/epoch_result.h"

namespace letterpress {

std::map<std::string, double> named_metrics(const std::optional<EpochResult::Metrics>& metrics) {
  if (!metrics) return {};
  if (metrics->top1) return {{"top1", *metrics->top1}};
  std::map<std::string, double> named{{"map50", metrics->map50},
                                      {"map", metrics->map},
                                      {"precision", metrics->precision},
                                      {"recall", metrics->recall}};
  if (metrics->goal) named.insert(*metrics->goal);
  return named;
}

std::optional<EpochResult::Metrics> metrics_named(const std::map<std::string, double>& metrics) {
  if (metrics.contains("top1")) return EpochResult::Metrics{.top1 = metrics.at("top1")};
  if (!metrics.contains("map50")) return std::nullopt;
  EpochResult::Metrics found{.map50 = metrics.at("map50"),
                             .map = metrics.at("map"),
                             .precision = metrics.at("precision"),
                             .recall = metrics.at("recall")};
  for (const auto& [name, value] : metrics) {
    if (name.find('@') != std::string::npos) found.goal = {name, value};
  }
  return found;
}

}  // namespace letterpress
