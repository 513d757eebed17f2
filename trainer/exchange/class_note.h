#pragma once
#include <string>
#include <vector>

#include "trainer/exchange/start_weights.h"

namespace letterpress {

/// What became of the head's classes when weights of named classes were loaded: which kept their
/// rows, in which order, which are new and which the new network does not have; whether its class
/// branch has another width, so that nothing of it fits; or that names did not matter (Match::shape
/// and strict). Empty when they are the same in the same order, or the weights' have no names.
/// rows: of load_start_weights().
std::string class_note(const StartWeights& start, const Graph& graph,
                       const std::vector<std::string>& classes, const std::vector<WeightRow>& rows);

}  // namespace letterpress
