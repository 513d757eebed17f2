#pragma once
#include <set>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// Names of the layers with weights that `freeze` means: "none"; "backbone", the graph's stage; "all-but-head", all but the last
/// convolutions before the outputs; else a pattern of layer names with * ? [abc], as the shell's. Throws Error (usage) when a pattern
/// meets no layer or nothing would be left to train.
std::set<std::string> layers_to_freeze(const Graph& graph, const std::string& freeze);

}  // namespace letterpress
