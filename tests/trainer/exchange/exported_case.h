#pragma once
#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "letterpress/weights/safetensors.h"
#include "trainer/checkpoint/network_weights.h"
#include "trainer/network/network.h"

namespace letterpress {

/// A network of a graph in which every tensor matters, in evaluation mode: random weights and
/// biases, and the norm statistics of a batch of noise, so that values stay near 1 however deep it
/// is.
inline std::shared_ptr<Network> drawn_network(Graph graph, std::uint64_t seed) {
  torch::NoGradGuard no_gradient;
  for (Layer& layer : graph.layers) {
    if (layer.norm) layer.norm_momentum = 1;
  }
  auto network = std::make_shared<Network>(graph);
  network->initialise(seed);
  torch::manual_seed(seed);
  for (const auto& [name, value] : network->parameters()) {
    if (name.ends_with("bias")) value.uniform_(-0.5, 0.5);
    if (name.ends_with("norm.weight")) value.uniform_(0.5, 1.5);
  }
  network->train();
  network->forward(torch::rand({8, 3, graph.side, graph.side}));
  network->eval();
  return network;
}

inline Checkpoint checkpoint_of(const Network& network, const std::vector<std::string>& classes) {
  Checkpoint checkpoint;
  checkpoint.info.graph = network.graph();
  checkpoint.info.classes = classes;
  checkpoint.info.position = 4321;
  checkpoint.tensors = collect_weights(network);
  checkpoint.tensors["train.conv1.weight"] = torch::full({1}, 99.f);  // not to be exported
  return checkpoint;
}

/// float32 tensors as one safetensors file, for the scripts that run exported models.
inline void write_tensors(const std::filesystem::path& file,
                          const std::map<std::string, torch::Tensor>& tensors) {
  std::vector<torch::Tensor> owners;
  std::vector<ArrayView> arrays;
  for (const auto& [name, tensor] : tensors) {
    owners.push_back(tensor.to(torch::kFloat).contiguous());
    const auto* values = static_cast<const std::byte*>(owners.back().const_data_ptr());
    arrays.push_back({name, DType::f32, tensor.sizes().vec(), {values, owners.back().nbytes()}});
  }
  write_safetensors(file, arrays, {});
}

}  // namespace letterpress
