#include "graph_tensor.h"

#include <cmath>

#include "letterpress/base/error.h"

namespace letterpress {

std::span<const float> graph_tensor(const GraphWeights& weights, const Layer& layer,
                                    const std::string& tensor, std::int64_t wanted) {
  const std::string name = layer.name + "." + tensor;
  const auto found = weights.find(name);
  if (found == weights.end())
    throw Error({.where = "weights", .what = name + " is missing, the graph has that layer"},
                Exit::configuration);
  if (static_cast<std::int64_t>(found->second.size()) != wanted) {
    throw Error({.where = "weights",
                 .what = name + " has " + std::to_string(found->second.size()) +
                         " values, must be " + std::to_string(wanted)},
                Exit::configuration);
  }
  return found->second;
}

std::int64_t weight_values(const Graph& graph, const Layer& layer) {
  const std::int64_t window =
      layer.kind == LayerKind::conv ? std::int64_t{layer.kernel} * layer.kernel : 1;
  return layer.channels * kernel_channels(graph, layer) * window;
}

FoldedLayer fold(const Graph& graph, const Layer& layer, const GraphWeights& weights) {
  const std::int64_t values = weight_values(graph, layer), channels = layer.channels;
  const std::span<const float> weight = graph_tensor(weights, layer, "weight", values);
  FoldedLayer folded{.shape = {channels, kernel_channels(graph, layer)},
                     .weight = {weight.begin(), weight.end()},
                     .bias = std::vector<float>(static_cast<std::size_t>(channels))};
  if (layer.kind == LayerKind::conv) folded.shape.insert(folded.shape.end(), 2, layer.kernel);
  if (!layer.norm) {
    const std::span<const float> bias = graph_tensor(weights, layer, "bias", channels);
    folded.bias.assign(bias.begin(), bias.end());
    return folded;
  }
  const std::span<const float> gamma = graph_tensor(weights, layer, "norm.weight", channels);
  const std::span<const float> beta = graph_tensor(weights, layer, "norm.bias", channels);
  const std::span<const float> mean = graph_tensor(weights, layer, "norm.mean", channels);
  const std::span<const float> variance = graph_tensor(weights, layer, "norm.var", channels);
  const auto per_channel = static_cast<std::size_t>(values / channels);
  for (std::size_t c = 0; c < folded.bias.size(); ++c) {
    const double scale = gamma[c] / std::sqrt(variance[c] + layer.norm_epsilon);
    folded.bias[c] = static_cast<float>(beta[c] - mean[c] * scale);
    for (std::size_t i = c * per_channel; i < (c + 1) * per_channel; ++i)
      folded.weight[i] = static_cast<float>(weight[i] * scale);
  }
  return folded;
}

}  // namespace letterpress
