#include "trainer/network/network.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "letterpress/base/error.h"
#include "trainer/network/layer_module.h"

namespace letterpress {
namespace {

constexpr double kLeakySlope = 0.1;     // Darknet's
constexpr double kObjectChance = 0.01;  // that a fresh head finds in a cell
constexpr double kObjectsPerPicture =
    5;  // that a fresh head without anchors finds, all classes together

double log_odds(double chance) { return std::log(chance / (1 - chance)); }

// In place where the backward pass needs only the result: a norm and a convolution keep their
// input, not their output.
torch::Tensor activate(torch::Tensor x, Activation activation) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::leaky_relu:
      return at::leaky_relu_(x, kLeakySlope);
    case Activation::relu:
      return at::relu_(x);
    case Activation::silu:
      return at::silu(x);
  }
  return x;
}

torch::Tensor max_pool(const torch::Tensor& x, const Layer& layer) {
  const bool symmetric = layer.padding_end < 0 || layer.padding_end == layer.padding;
  // max_pool2d itself takes no more than half a kernel, the same on every side.
  if (symmetric && layer.padding <= layer.kernel / 2)
    return at::max_pool2d(x, layer.kernel, layer.stride, layer.padding);
  return at::max_pool2d(pad(x, layer, -std::numeric_limits<double>::infinity()), layer.kernel,
                        layer.stride);
}

torch::Tensor upsample(const torch::Tensor& x, int factor) {
  const std::vector<double> factors(2, factor);
  // CPU autocast would make it float32, which copying values does not need.
  return at::upsample_nearest2d(x, std::nullopt, factors).to(x.scalar_type());
}

torch::Tensor attention(const torch::Tensor& x, const Layer& layer) {
  const std::int64_t heads = layer.attention_heads, keys = layer.key_channels,
                     values = layer.channels / heads;
  const std::vector<torch::Tensor> parts = x.reshape({x.size(0), heads, 2 * keys + values, -1})
                                               .split_with_sizes({keys, keys, values}, 2);
  const torch::Tensor queries = parts[0] * (1 / std::sqrt(static_cast<double>(keys)));
  const torch::Tensor shares = at::softmax(at::matmul(queries.transpose(2, 3), parts[1]), -1);
  const torch::Tensor taken =
      at::matmul(parts[2], shares.to(parts[2].scalar_type()).transpose(2, 3));
  return taken.reshape({x.size(0), layer.channels, x.size(2), x.size(3)})
      .to(x.scalar_type())
      .contiguous(x.suggest_memory_format());
}

torch::Dtype statistics_type(torch::Dtype network) {
  return network == torch::kDouble ? torch::kDouble : torch::kFloat;
}

torch::Tensor at_least_float(const torch::Tensor& x) {
  return x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
}

torch::Tensor sum(const std::vector<torch::Tensor>& inputs) {
  torch::Tensor total = inputs[0] + inputs[1];
  for (std::size_t i = 2; i < inputs.size(); ++i) total += inputs[i];
  return total;
}

std::vector<std::size_t> last_readers(const Graph& graph) {
  std::vector<std::size_t> last(graph.layers.size());
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    last[i] = i;
    for (const int input : graph.layers[i].inputs) last[static_cast<std::size_t>(input)] = i;
  }
  for (const int output : graph.outputs)
    last[static_cast<std::size_t>(output)] = graph.layers.size();
  return last;
}

void check_images(const torch::Tensor& images) {
  if (images.dim() == 4 && images.size(1) == 3 && images.is_floating_point()) return;
  std::string shape;
  for (const std::int64_t size : images.sizes())
    shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  throw Error({.where = "network",
               .what = "images are " + std::string(c10::toString(images.scalar_type())) + " [" +
                       shape + "], must be floats [B, 3, side, side]",
               .fix = "normalise the bytes first"},
              Exit::bug);
}

}  // namespace

Network::Network(const Graph& graph) : graph_(graph) {
  validate(graph_);
  std::int64_t statistics = 0;
  for (const Layer& layer : graph_.layers) {
    modules_.emplace_back();
    if (layer.kind != LayerKind::conv && layer.kind != LayerKind::linear) continue;
    modules_.back() = std::make_unique<LayerModule>(layer, kernel_channels(graph_, layer));
    if (layer.norm) statistics += 2 * layer.channels;
  }
  statistics_ = torch::zeros({statistics});
  if (!graph_.mean.empty()) mean_ = torch::tensor(graph_.mean, torch::kDouble).view({1, 3, 1, 1});
  last_reader_ = last_readers(graph_);
  frozen_.assign(graph_.layers.size(), false);
  bind_statistics(torch::kCPU);
}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

std::vector<NamedTensor> Network::parameters() const {
  std::vector<NamedTensor> all;
  for (const auto& module : modules_) {
    if (module) std::ranges::move(module->parameters(), std::back_inserter(all));
  }
  return all;
}

std::vector<NamedTensor> Network::named_statistics() const {
  std::vector<NamedTensor> all;
  for (const auto& module : modules_) {
    if (module) std::ranges::move(module->statistics(), std::back_inserter(all));
  }
  return all;
}

std::vector<torch::Tensor> Network::forward(const torch::Tensor& images) {
  check_images(images);
  std::vector<torch::Tensor> results(graph_.layers.size());
  results[0] = mean_.defined() ? images - mean_.to(images.scalar_type()) : images;
  for (std::size_t i = 1; i < results.size(); ++i) {
    results[i] = run(i, results);
    for (const int input : graph_.layers[i].inputs) {
      const auto index = static_cast<std::size_t>(input);
      if (last_reader_[index] <= i) results[index].reset();
    }
    if (last_reader_[i] == i) results[i].reset();  // read by nobody
  }
  std::vector<torch::Tensor> outputs;
  for (const int output : graph_.outputs)
    outputs.push_back(results[static_cast<std::size_t>(output)]);
  return outputs;
}

torch::Tensor Network::run(std::size_t index, const std::vector<torch::Tensor>& results) {
  const Layer& layer = graph_.layers[index];
  std::vector<torch::Tensor> inputs;
  for (const int input : layer.inputs) inputs.push_back(results[static_cast<std::size_t>(input)]);
  const torch::Tensor& x = inputs.front();
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::linear:
      return activate(modules_[index]->forward(x, trains(index), training_norm_), layer.activation);
    case LayerKind::max_pool:
      return max_pool(x, layer);
    case LayerKind::average_pool:
      return at::avg_pool2d(x, layer.kernel, layer.stride);
    case LayerKind::upsample:
      return upsample(x, layer.stride);
    case LayerKind::concat:
      return at::cat(inputs, 1);
    case LayerKind::add:
      return activate(sum(inputs), layer.activation);
    case LayerKind::slice:
      return x.narrow(1, layer.slice_first, layer.channels);
    case LayerKind::dropout:
      return at::dropout(x, layer.dropout, trains(index));
    case LayerKind::flatten:
      return x.flatten(1);
    case LayerKind::attention:
      return attention(x, layer);
    case LayerKind::head:
      return at_least_float(inputs.size() == 1 ? x : at::cat(inputs, 1));
    case LayerKind::input:
      break;
  }
  return x;
}

void Network::freeze_layers(const std::set<std::string>& names) {
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    frozen_[i] = names.contains(graph_.layers[i].name);
    if (!modules_[i]) continue;
    for (const NamedTensor& parameter : modules_[i]->parameters())
      parameter.value.set_requires_grad(!frozen_[i]);
  }
}

void Network::set_least_norm_momentum(double momentum) {
  least_norm_momentum_ = momentum;
  for (const auto& module : modules_) {
    if (module) module->set_least_norm_momentum(momentum);
  }
}

void Network::initialise(std::uint64_t seed) {
  torch::Generator generator = at::detail::createCPUGenerator(seed);
  for (const auto& module : modules_) {
    if (module) module->initialise(generator);
  }
  const torch::NoGradGuard no_grad;
  for (const int output : graph_.outputs)
    start_low(graph_.layers[static_cast<std::size_t>(output)]);
}

// A fresh head that finds objects everywhere would spend its first epochs unlearning that.
void Network::start_low(const Layer& head) {
  const auto& last = modules_[static_cast<std::size_t>(head.inputs.back())];
  if (!last || !last->bias.defined() || head.head_stride == 0) return;
  if (!head.anchor_mask.empty()) {
    const torch::Tensor biases =
        last->bias.view({static_cast<std::int64_t>(head.anchor_mask.size()), 5 + graph_.classes});
    biases.select(1, 4).fill_(log_odds(kObjectChance));
    return;
  }
  const double cells =
      static_cast<double>(graph_.side) * graph_.side / head.head_stride / head.head_stride;
  const double chance = std::min(kObjectChance, kObjectsPerPicture / (cells * graph_.classes));
  last->bias.narrow(0, last->bias.size(0) - graph_.classes, graph_.classes).fill_(log_odds(chance));
}

void Network::use_channels_last() {
  const torch::NoGradGuard no_gradient;
  for (const NamedTensor& parameter : parameters()) {
    const torch::Tensor& kernel = parameter.value;
    if (kernel.dim() == 4) kernel.set_data(kernel.contiguous(torch::MemoryFormat::ChannelsLast));
  }
}

void Network::bind_statistics(torch::Device device) {
  statistics_ = statistics_.to(device);
  if (mean_.defined()) mean_ = mean_.to(device);
  std::int64_t first = 0;
  for (const auto& module : modules_) {
    if (module) first += module->bind(statistics_, first);
  }
}

void Network::to(torch::Dtype dtype) {
  const torch::NoGradGuard no_gradient;
  for (const NamedTensor& parameter : parameters())
    parameter.value.set_data(parameter.value.to(dtype));
  statistics_ = statistics_.to(statistics_type(dtype));
  bind_statistics(statistics_.device());
}

void Network::to(torch::Device device) {
  const torch::NoGradGuard no_gradient;
  for (const NamedTensor& parameter : parameters())
    parameter.value.set_data(parameter.value.to(device));
  bind_statistics(device);
}

}  // namespace letterpress
