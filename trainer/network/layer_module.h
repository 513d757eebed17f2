#pragma once
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "letterpress/models/graph.h"
#include "trainer/named_tensor.h"
#include "trainer/norm_function.h"

namespace letterpress {

/// The tensors of one convolution or linear layer, and its running statistics when it has a norm.
///   weight     float32 [channels, kernel_channels, kernel, kernel] (linear: [channels, in])
///   bias       float32 [channels], only without a norm
///   norm.weight, norm.bias   float32 [channels], parameters
///   norm.mean, norm.var      float32 [channels], buffers; views made by the network
class LayerModule {
 public:
  LayerModule(const Layer& layer, int kernel_channels);

  /// input: [B, in, h, w] (linear: [B, in]). Result before the activation.
  /// training_norm: computes a norm in training; empty: at::batch_norm.
  torch::Tensor forward(const torch::Tensor& input, bool training,
                        const NormFunction& training_norm);
  /// Of the running statistics, where it is more than the layer's own.
  void set_least_norm_momentum(double momentum) {
    norm_momentum_ = std::max(momentum, layer_.norm_momentum);
  }
  /// Makes norm.mean and norm.var views of statistics[first, first + 2 * channels). Returns how
  /// many values it used (0 without a norm).
  std::int64_t bind(const torch::Tensor& statistics, std::int64_t first);
  /// Kernel He-uniform for the layer's activation (arXiv:1502.01852), biases 0, norm 1 and 0,
  /// statistics of a unit normal.
  void initialise(torch::Generator& generator);

  /// Handles to the layer's own tensors, named as above behind "<layer>.".
  std::vector<NamedTensor> parameters() const;
  std::vector<NamedTensor> statistics() const;

  torch::Tensor weight, bias;

 private:
  torch::Tensor convolve(const torch::Tensor& input) const;

  Layer layer_;
  double norm_momentum_;
  torch::Tensor norm_weight_, norm_bias_, mean_, var_;
};

/// Zeros (conv) or -inf (pool) around the input as the layer's padding says.
torch::Tensor pad(const torch::Tensor& input, const Layer& layer, double value);

}  // namespace letterpress
