#pragma once
#include <torch/torch.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainer/checkpoint/checkpoint.h"
#include "trainer/network/network.h"

namespace letterpress {

/// Copies of the network's parameters and statistics by name, on the CPU: later steps do not change
/// them.
std::map<std::string, torch::Tensor> collect_weights(const Network& network);

/// How a set of tensors differs from what a network has.
struct WeightDifferences {
  std::vector<std::string> missing;     ///< names that the network has and the set has not
  std::vector<std::string> unexpected;  ///< names that only the set has
  std::vector<std::string> different;   ///< "scale32_output.bias is [255], wanted [24]"
  bool empty() const noexcept { return missing.empty() && unexpected.empty() && different.empty(); }
};
/// "missing: a.weight, a.bias; unexpected: b.weight", at most 5 of each kind and then a count.
/// Empty when there are none.
std::string to_string(const WeightDifferences& differences);

/// Copies by name whatever has the network's name and shape, converting type and device; the rest
/// of the network stays as it is. Answers what was left out: for starting from a model of other
/// classes.
WeightDifferences load_matching_weights(Network& network,
                                        const std::map<std::string, torch::Tensor>& weights);
/// All or nothing: throws Error, with `where` before it, listing the differences when there are
/// any; the network is unchanged then.
void load_weights(Network& network, const std::map<std::string, torch::Tensor>& weights,
                  const std::string& where);
/// The weights to use: the checkpoint's plain names.
void load_weights(Network& network, const Checkpoint& checkpoint);
/// The checkpoint's model with its weights to use, on `device`, ready to find things: in eval mode,
/// channels_last.
std::unique_ptr<Network> network_for_use(const Checkpoint& checkpoint, torch::Device device);
/// The weights to train on: "train.<name>" where there is one, else the plain name.
void load_training_weights(Network& network, const Checkpoint& checkpoint);

}  // namespace letterpress
