#pragma once
#include <torch/torch.h>

#include <vector>

#include "letterpress/models/graph.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Raw head outputs -> boxes and class scores, on the outputs' device, no host synchronisation.
struct Candidates {
  torch::Tensor boxes;   ///< float32 [B, P, 4] x1 y1 x2 y2, pixels of the frame
  torch::Tensor scores;  ///< float32 [B, P, classes] 0..1 (objectness times class probability where there is an objectness)
};
Candidates decode_outputs(const Graph& graph, const std::vector<torch::Tensor>& outputs, int side);

/// Greedy non-maximum suppression per class. Result per picture, by score descending (ties: lower candidate index first). No time limits.
std::vector<std::vector<Detection>> suppress(const Candidates& candidates, const DetectionOptions& options);

}  // namespace letterpress
