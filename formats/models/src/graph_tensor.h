#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/models/graph_weights.h"

namespace letterpress {

/// The values of "<layer>.<tensor>". Throws Error (configuration) when it is absent or has not
/// `wanted` values.
std::span<const float> graph_tensor(const GraphWeights& weights, const Layer& layer,
                                    const std::string& tensor, std::int64_t wanted);

/// Number of values of a convolution's or linear layer's weight.
std::int64_t weight_values(const Graph& graph, const Layer& layer);

/// A convolution or linear layer with its batch norm folded in: what it computes in evaluation.
struct FoldedLayer {
  std::vector<std::int64_t> shape;  ///< of the weight
  std::vector<float> weight, bias;
};
FoldedLayer fold(const Graph& graph, const Layer& layer, const GraphWeights& weights);

}  // namespace letterpress
