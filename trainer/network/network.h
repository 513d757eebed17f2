#pragma once
#include <torch/types.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "trainer/named_tensor.h"
#include "trainer/norm_function.h"

namespace letterpress {

class LayerModule;

/// Computes a graph. Tensor names are "<layer>.weight", ".bias", ".norm.weight", ".norm.bias"
/// (parameters) and ".norm.mean", ".norm.var" (statistics); the same for any world size. All
/// running statistics are views into one flat float32 tensor, and stay so when the network moves to
/// another device. Weights are undefined: call initialise or load weights. Begins in training mode.
/// One thread at a time.
class Network {
 public:
  /// Throws Error as validate(graph) does.
  explicit Network(const Graph& graph);
  ~Network();
  Network(Network&&) noexcept;

  /// images: float [B, 3, side, side], 0..1, from which the graph's mean is subtracted here;
  /// fastest in channels_last. Any side at which the graph's branches fit (a multiple of 32).
  /// Result: raw logits of each output head, float32 [B, channels, h, w] ([B, channels] when
  /// flattened), in Graph::outputs order; of a network in float64, float64. Under autocast the
  /// layers compute in its type, the result is still float32. An intermediate result is
  /// freed as soon as no later layer reads it. Batch norm follows PyTorch's rules: biased variance
  /// to normalise, unbiased one into the running statistics.
  std::vector<torch::Tensor> forward(const torch::Tensor& images);

  const Graph& graph() const noexcept { return graph_; }
  /// Handles to the network's own tensors, layer by layer: what is written to them changes the
  /// network. They stay its own when it moves.
  std::vector<NamedTensor> parameters() const;
  std::vector<NamedTensor> named_statistics() const;  ///< views of statistics()
  /// float32 [sum of 2 * channels]: mean and variance of each norm, in layer order. Writing to it
  /// changes the network. After a move to another device call this again.
  torch::Tensor statistics() const { return statistics_; }
  /// Freezes these layers, see layers_to_freeze(): no gradients, batch norm and dropout in eval
  /// mode even in training. All other layers train.
  void freeze_layers(const std::set<std::string>& names);
  /// By layer of the graph: whether it is frozen.
  const std::vector<bool>& frozen() const noexcept { return frozen_; }
  /// Scaled random start from `seed`, the same on every device: convolutions He-uniform
  /// (arXiv:1502.01852), biases 0, norms 1 and 0. As in arXiv:1708.02002, section 4.1, heads start
  /// by finding little: objectness biases of anchors are the log-odds of a chance of .01, class
  /// biases of heads without anchors those of 5 objects over all their cells and classes, .01 at
  /// most.
  void initialise(std::uint64_t seed);
  /// Computes the norms that train from now on; empty: at::batch_norm over the images of one call.
  void set_training_norm(NormFunction norm) { training_norm_ = std::move(norm); }
  /// Weight of a new batch in the running statistics of the norms that train from now on, where
  /// that is more than the graph's own.
  void set_least_norm_momentum(double momentum);
  double least_norm_momentum() const noexcept { return least_norm_momentum_; }
  /// Converts the kernels of convolutions to channels_last, as the pictures are. Call it before an
  /// optimiser is made.
  void use_channels_last();

  /// In training norms go by their batch and dropout drops; else norms go by their statistics.
  void train(bool training = true) { training_ = training; }
  void eval() { train(false); }
  bool is_training() const noexcept { return training_; }

  void to(torch::Device device);
  void to(torch::Dtype dtype);  ///< statistics stay float32, except for float64

 private:
  void start_low(const Layer& head);
  torch::Tensor run(std::size_t index, const std::vector<torch::Tensor>& results);
  bool trains(std::size_t index) const { return training_ && !frozen_[index]; }
  void bind_statistics(torch::Device device);

  Graph graph_;
  torch::Tensor statistics_;
  torch::Tensor mean_;  ///< float64 [1, 3, 1, 1] of the graph's; undefined: nothing is subtracted
  std::vector<std::unique_ptr<LayerModule>> modules_;  ///< by layer, null without tensors
  std::vector<std::size_t> last_reader_;  ///< by layer: the last one that reads its result
  std::vector<bool> frozen_;
  bool training_ = true;
  NormFunction training_norm_;
  double least_norm_momentum_ = 0;
};

}  // namespace letterpress
