#pragma once
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/weights/weight_file.h"

namespace letterpress {

/// The named model for the names and shapes of its tensors, which are the same for any side that it
/// takes.
Graph graph_for_names(const std::string& model, int classes);

/// For each array of the file the graph's tensor whose place it has: the n-th convolution's kernel
/// and bias those of the graph's n-th convolution, the n-th norm's four arrays those of its n-th
/// convolution with a norm. Empty for arrays without a place.
std::vector<std::string> targets_by_order(const WeightFile& file, const Graph& graph);

/// Makes arrays of a Darknet stream, named as the model's tensors are: per convolution beta, gamma,
/// mean, variance (without a norm bias), then the kernel. The number of values tells the number of
/// classes; a stream that ends with a convolution before the first output layer is a backbone.
/// Throws Error (data) that gives the numbers that would fit.
void cut_stream(WeightFile& file, const std::string& model, const std::string& where);

}  // namespace letterpress
