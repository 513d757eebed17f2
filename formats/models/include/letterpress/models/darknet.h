#pragma once
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/models/graph_weights.h"

namespace letterpress {

/// The graph as a Darknet cfg (github.com/pjreddie/darknet): sections in layer order, with a
/// [route] wherever a layer does not read the one before it. Throws Error (configuration) naming a
/// layer for which Darknet has no section (slices, linear layers, anchor-free heads, ...).
std::string to_darknet_cfg(const Graph& graph);

/// The values of a Darknet weight file for that cfg: per convolution in layer order, with norm
/// beta, gamma, mean, variance, else bias; then the kernel [out, in, k, k]. Variances carry the
/// graph's epsilon less the 1e-6 that readers of the format add themselves. Throws Error
/// (configuration) naming the tensor that is missing or has another number of values.
std::vector<float> to_darknet_values(const Graph& graph, const GraphWeights& weights);

}  // namespace letterpress
