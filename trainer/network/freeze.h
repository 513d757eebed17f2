#pragma once
#include <set>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// Names of the layers that `freeze` means, of those that behave otherwise in training: with
/// weights, and dropout. "none"; a stage of the graph ("backbone", "neck", "head"); "all-but-head",
/// all but the last convolutions before the outputs; else a pattern of layer names with
/// * ? [abc], as the shell's. Throws Error (usage) that lists them, nearest first, when it meets no
/// layer, or when nothing is left to train.
std::set<std::string> layers_to_freeze(const Graph& graph, const std::string& freeze);

}  // namespace letterpress
