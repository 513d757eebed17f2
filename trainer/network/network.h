#pragma once
#include <torch/torch.h>

#include <string>
#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// The torch module of a graph. Tensor names are "<layer>.weight", ".bias", ".norm.weight", ".norm.bias" (parameters) and ".norm.mean",
/// ".norm.var" (statistics); the same for any number of ranks, never wrapped. All running statistics are views into one flat float32
/// tensor.
class Network : public torch::nn::Module {
 public:
  explicit Network(const Graph& graph);

  /// images: float [B, 3, side, side], 0..1. Result: raw logits of each output head, float32 [B, channels, h, w], in Graph::outputs order.
  std::vector<torch::Tensor> forward(const torch::Tensor& images);

  const Graph& graph() const noexcept { return graph_; }
  torch::Tensor statistics() const { return statistics_; }  ///< float32 [sum of 2 * channels]
  /// Stages ("backbone", "neck", "head") that do not train: no gradients, batch norm in eval mode even in training.
  void freeze(const std::vector<std::string>& stages);
  /// Scaled random start from `seed`: convolutions He-uniform, heads' objectness bias at log-odds of a rare object.
  void initialise(std::uint64_t seed);

 private:
  Graph graph_;
  torch::Tensor statistics_;
};

}  // namespace letterpress
