#pragma once
#include <torch/types.h>

#include <functional>

namespace letterpress {

/// Tensors and constants of one batch norm.
struct NormTensors {
  torch::Tensor weight, bias;  ///< float [C], parameters
  torch::Tensor mean, var;     ///< float [C], running statistics: updated
  double momentum = 0.1, epsilon = 1e-5;
};
/// Normalises x, [B, C] or [B, C, h, w], by the statistics of its batch and updates the running
/// ones.
using NormFunction = std::function<torch::Tensor(const torch::Tensor& x, const NormTensors& norm)>;

}  // namespace letterpress
