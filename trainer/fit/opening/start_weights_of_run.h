#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/snapshot.h"
#include "trainer/exchange/start_weights.h"
#include "trainer/fit/options/fit_options.h"

namespace letterpress {

/// The weights that --init or --pretrained name; none where neither is given.
std::optional<StartWeights> start_weights(const FitOptions& options);

/// Gives the classes of the start weights the names that the store's last build gave them
/// (--rename-class), so that their head's rows are found. Returns what to tell the user: "class
/// disc of the start weights is ball in the store"; empty: nothing was renamed.
std::string take_over_renames(const Snapshot& snapshot, StartWeights& start);

/// Loads into a network of the store's classes what fits by --match: what became of each tensor.
/// Throws Error (configuration) when nothing fits.
std::vector<WeightRow> load_some_weights(Network& network, const StartWeights& start,
                                         const std::vector<std::string>& classes, Match match);
/// Writes what load_some_weights() returned to start_weights.txt in the run's folder. Returns what
/// to tell the user: "start weights of run/best.safetensors (letterpress): 59 of 59 tensors, see
/// run/start_weights.txt", then what became of the head's classes, and a line per tensor that was
/// loaded in part or not at all. graph, classes: the new network's.
std::string write_weight_table(std::vector<WeightRow> rows, const StartWeights& start,
                               const Graph& graph, const std::vector<std::string>& classes,
                               const std::filesystem::path& run_folder);

}  // namespace letterpress
