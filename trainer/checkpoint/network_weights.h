#pragma once
#include <torch/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/network/network.h"

namespace letterpress {

/// The network's own parameters and statistics by name, not copies.
std::map<std::string, torch::Tensor> tensors_of(const Network& network);
/// Copies of the network's parameters and statistics by name, on the CPU: later steps do not change
/// them.
std::map<std::string, torch::Tensor> collect_weights(const Network& network);

/// How a set of tensors differs from what a network has.
struct WeightDifferences {
  std::vector<std::string> missing;     ///< names that only the network has
  std::vector<std::string> unexpected;  ///< names that only the set has
  std::vector<std::string> different;   ///< "scale32_output.bias is [255], must be [24]"
  bool empty() const noexcept { return missing.empty() && unexpected.empty() && different.empty(); }
};
/// "missing: a.weight, a.bias; unexpected: b.weight", at most 5 of each kind and then a count.
/// Empty when there are none.
std::string to_string(const WeightDifferences& differences);

/// Copies the tensors whose name and shape the network has, converting type and device; the rest of
/// the network stays as it is. Returns what was left out. For starting from a model of other
/// classes.
WeightDifferences load_matching_weights(Network& network,
                                        const std::map<std::string, torch::Tensor>& weights);
/// All or nothing: when there are differences, throws Error that begins with `where` and lists
/// them, and leaves the network unchanged.
void load_weights(Network& network, const std::map<std::string, torch::Tensor>& weights,
                  const std::string& where);
/// The weights to use: the checkpoint's plain names.
void load_weights(Network& network, const Checkpoint& checkpoint);
/// The checkpoint's model with its weights to use, on `device`, ready for inference: in eval mode,
/// channels_last.
std::unique_ptr<Network> network_for_use(const Checkpoint& checkpoint, torch::Device device);
/// The weights to train on: "train.<name>" where there is one, else the plain name.
void load_training_weights(Network& network, const Checkpoint& checkpoint);

}  // namespace letterpress
