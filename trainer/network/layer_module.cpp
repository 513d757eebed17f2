#include "trainer/network/layer_module.h"

#include <cmath>

namespace letterpress {
namespace {

// Gain of a He start: keeps the variance of a rectified layer (leaky: slope .1); silu counts as
// relu.
double gain(Activation activation) {
  switch (activation) {
    case Activation::none:
      return 1;
    case Activation::leaky_relu:
      return std::sqrt(2 / (1 + 0.1 * 0.1));
    default:
      return std::sqrt(2.0);
  }
}

bool is_symmetric(const Layer& layer) {
  return layer.padding_end < 0 || layer.padding_end == layer.padding;
}

}  // namespace

torch::Tensor pad(const torch::Tensor& input, const Layer& layer, double value) {
  const std::int64_t first = layer.padding,
                     last = layer.padding_end < 0 ? layer.padding : layer.padding_end;
  return at::constant_pad_nd(input, {first, last, first, last}, value);
}

LayerModule::LayerModule(const Layer& layer, int kernel_channels)
    : layer_(layer), norm_momentum_(layer.norm_momentum) {
  std::vector<std::int64_t> shape{layer.channels, kernel_channels};
  if (layer.kind == LayerKind::conv) shape.insert(shape.end(), 2, layer.kernel);
  weight = torch::zeros(shape);
  if (layer.norm) {
    norm_weight_ = torch::ones({layer.channels});
    norm_bias_ = torch::zeros({layer.channels});
    mean_ = torch::zeros({layer.channels});
    var_ = torch::ones({layer.channels});
  } else {
    bias = torch::zeros({layer.channels});
  }
  for (const NamedTensor& parameter : parameters()) parameter.value.set_requires_grad(true);
}

std::vector<NamedTensor> LayerModule::parameters() const {
  if (!layer_.norm) return {{layer_.name + ".weight", weight}, {layer_.name + ".bias", bias}};
  return {{layer_.name + ".weight", weight},
          {layer_.name + ".norm.weight", norm_weight_},
          {layer_.name + ".norm.bias", norm_bias_}};
}

std::vector<NamedTensor> LayerModule::statistics() const {
  if (!layer_.norm) return {};
  return {{layer_.name + ".norm.mean", mean_}, {layer_.name + ".norm.var", var_}};
}

torch::Tensor LayerModule::convolve(const torch::Tensor& input) const {
  if (layer_.kind == LayerKind::linear) return at::linear(input, weight, bias);
  const std::optional<torch::Tensor> added = bias.defined() ? std::optional(bias) : std::nullopt;
  const std::vector<std::int64_t> stride(2, layer_.stride),
      padding(2, is_symmetric(layer_) ? layer_.padding : 0), dilation(2, 1);
  return at::conv2d(is_symmetric(layer_) ? input : pad(input, layer_, 0), weight, added, stride,
                    padding, dilation, layer_.groups);
}

torch::Tensor LayerModule::forward(const torch::Tensor& input, bool training,
                                   const NormFunction& training_norm) {
  torch::Tensor x = convolve(input);
  if (!layer_.norm) return x;
  if (training && training_norm)
    return training_norm(
        x, {norm_weight_, norm_bias_, mean_, var_, norm_momentum_, layer_.norm_epsilon});
  return at::batch_norm(x, norm_weight_, norm_bias_, mean_, var_, training, norm_momentum_,
                        layer_.norm_epsilon, true);
}

std::int64_t LayerModule::bind(const torch::Tensor& statistics, std::int64_t first) {
  if (!layer_.norm) return 0;
  const std::int64_t channels = layer_.channels;
  mean_.set_data(statistics.narrow(0, first, channels));
  var_.set_data(statistics.narrow(0, first + channels, channels));
  return 2 * channels;
}

void LayerModule::initialise(torch::Generator& generator) {
  const torch::NoGradGuard no_grad;
  // Drawn on the CPU, so that a seed gives the same weights on every device.
  const double fan_in = static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
  const double bound = gain(layer_.activation) * std::sqrt(3 / fan_in);
  weight.copy_(torch::empty(weight.sizes(), torch::kFloat).uniform_(-bound, bound, generator));
  if (bias.defined()) bias.zero_();
  if (!layer_.norm) return;
  norm_weight_.fill_(1);
  norm_bias_.zero_();
  mean_.zero_();
  var_.fill_(1);
}

}  // namespace letterpress
