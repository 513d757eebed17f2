#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// The named model, for the names and shapes of its tensors, which are the same for any side.
Graph graph_for_names(const std::string& model, int classes);

/// The shape of each tensor of a graph, by name.
std::map<std::string, std::vector<std::int64_t>> tensor_shapes(const Graph& graph);

/// For each array of the file the name of the graph's tensor at the same position: the kernel and
/// bias of the n-th convolution go to the graph's n-th convolution, the four arrays of the n-th
/// norm to its n-th convolution with a norm. Empty for other arrays.
std::vector<std::string> targets_by_order(const WeightFile& file, const Graph& graph);

/// For each array that is the bias of a convolution in front of a norm, which ours has not: the
/// mean of that norm, from which it is to be subtracted. Empty for other arrays.
std::vector<std::string> means_for_biases(const WeightFile& file, const Graph& graph);

/// Checks what arrays do not show, where the file has modules: that its activations are the
/// graph's, with their slope. Throws Error (configuration) naming the first other one.
void check_activations(const WeightFile& file, const Graph& graph, const std::string& where);

/// Cuts a Darknet stream into arrays with the names of the model's tensors: per convolution beta,
/// gamma, mean, variance (without a norm bias), then the kernel. The number of values tells the
/// number of classes; a stream that ends with a convolution before the first output layer is a
/// backbone. Throws Error (data) that states the numbers that would fit.
void cut_stream(WeightFile& file, const std::string& model, const std::string& where);

}  // namespace letterpress
