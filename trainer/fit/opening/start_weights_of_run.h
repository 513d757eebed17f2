#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trainer/exchange/start_weights.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// The weights that --init or --pretrained name; none where neither is given.
std::optional<StartWeights> start_weights(const FitOptions& options);

/// Loads them into a network of the store's classes by --match: what became of each tensor. Throws
/// Error (configuration) when nothing fits.
std::vector<WeightRow> take_start_weights(Network& network, const StartWeights& start,
                                          const std::vector<std::string>& classes,
                                          const FitOptions& options);
/// The same, and writes what went where to out/start_weights.txt. Answers what to tell
/// the user: "start weights of run/best.safetensors (letterpress): 59 of 59 tensors, see
/// run/start_weights.txt", then a line per tensor that was loaded in part or not at all.
std::string load_and_report_start_weights(Network& network, const StartWeights& start,
                                          const std::vector<std::string>& classes,
                                          const FitOptions& options);

}  // namespace letterpress
