#pragma once
#include <cstddef>
#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// Throws Error naming the layer whose `channels`, groups or slice do not fit its inputs. sides: of
/// output_sides().
void check_channels(const Graph& graph, std::size_t index, const std::vector<int>& sides);

}  // namespace letterpress
