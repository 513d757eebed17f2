#pragma once
#include <map>
#include <string>
#include <vector>

namespace letterpress {

/// Values of a graph's tensors by name, C order: "<layer>.weight" [out, in, k, k] (linear:
/// [out, in]), ".bias", ".norm.weight", ".norm.bias", ".norm.mean", ".norm.var" [out]. Shapes
/// follow from the graph.
using GraphWeights = std::map<std::string, std::vector<float>>;

}  // namespace letterpress
