#pragma once
#include <set>
#include <string>

#include "letterpress/models/graph.h"

namespace letterpress {

/// The layers that `freeze` selects, among those that behave differently in training: with weights,
/// and dropout. "none"; a stage of the graph ("backbone", "neck", "head"); "all-but-head", all but
/// the last convolutions before the outputs; else a pattern of layer names with * ? [abc], as in a
/// shell. Throws Error (usage) when no layer matches, listing the names, nearest first, or when
/// nothing is left to train.
std::set<std::string> layers_to_freeze(const Graph& graph, const std::string& freeze);

}  // namespace letterpress
