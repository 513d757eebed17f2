#include "trainer/checkpoint/network_weights.h"

#include <algorithm>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::size_t kShown = 5;
const std::string kTrainPrefix = "train.";

std::string shape_of(const torch::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes())
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

WeightDifferences compare(const std::map<std::string, torch::Tensor>& own,
                          const std::map<std::string, torch::Tensor>& weights) {
  WeightDifferences differences;
  for (const auto& [name, tensor] : own) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      differences.missing.push_back(name);
    } else if (found->second.sizes() != tensor.sizes()) {
      differences.different.push_back(name + " is " + shape_of(found->second) + ", must be " +
                                      shape_of(tensor));
    }
  }
  for (const auto& [name, tensor] : weights) {
    if (!own.contains(name)) differences.unexpected.push_back(name);
  }
  return differences;
}

void append(std::string& text, const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  text += (text.empty() ? "" : "; ") + std::string(what) + ": ";
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
}

std::map<std::string, torch::Tensor> plain_weights(const Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> weights;
  std::copy_if(checkpoint.tensors.begin(), checkpoint.tensors.end(),
               std::inserter(weights, weights.end()),
               [](const auto& named) { return !is_for_training(named.first); });
  return weights;
}

}  // namespace

std::map<std::string, torch::Tensor> tensors_of(const Network& network) {
  std::map<std::string, torch::Tensor> tensors;
  for (const NamedTensor& one : network.parameters()) tensors.emplace(one.name, one.value);
  for (const NamedTensor& one : network.named_statistics()) tensors.emplace(one.name, one.value);
  return tensors;
}

std::map<std::string, torch::Tensor> collect_weights(const Network& network) {
  std::map<std::string, torch::Tensor> copies = tensors_of(network);
  for (auto& [name, tensor] : copies)
    tensor = tensor.detach().to(torch::kCPU, tensor.scalar_type(), false, true).contiguous();
  return copies;
}

std::string to_string(const WeightDifferences& differences) {
  std::string text;
  append(text, "missing", differences.missing);
  append(text, "unexpected", differences.unexpected);
  append(text, "of another shape", differences.different);
  return text;
}

WeightDifferences load_matching_weights(Network& network,
                                        const std::map<std::string, torch::Tensor>& weights) {
  const torch::NoGradGuard no_grad;
  std::map<std::string, torch::Tensor> own = tensors_of(network);
  for (const auto& [name, tensor] : weights) {
    const auto found = own.find(name);
    if (found != own.end() && found->second.sizes() == tensor.sizes()) found->second.copy_(tensor);
  }
  return compare(own, weights);
}

void load_weights(Network& network, const std::map<std::string, torch::Tensor>& weights,
                  const std::string& where) {
  const WeightDifferences differences = compare(tensors_of(network), weights);
  if (!differences.empty()) {
    throw Error(
        {.where = where,
         .what = "weights do not fit model " + network.graph().model + " with " +
                 std::to_string(network.graph().classes) + " classes: " + to_string(differences)},
        Exit::configuration);
  }
  load_matching_weights(network, weights);
}

void load_weights(Network& network, const Checkpoint& checkpoint) {
  load_weights(network, plain_weights(checkpoint), "checkpoint");
}

std::unique_ptr<Network> network_for_use(const Checkpoint& checkpoint, torch::Device device) {
  auto network = std::make_unique<Network>(checkpoint.info.graph);
  load_weights(*network, checkpoint);
  network->to(device);
  network->use_channels_last();
  network->eval();
  return network;
}

void load_training_weights(Network& network, const Checkpoint& checkpoint) {
  std::map<std::string, torch::Tensor> weights = plain_weights(checkpoint);
  for (const auto& [name, tensor] : checkpoint.tensors) {
    if (name.starts_with(kTrainPrefix)) weights[name.substr(kTrainPrefix.size())] = tensor;
  }
  load_weights(network, weights, "checkpoint");
}

}  // namespace letterpress
