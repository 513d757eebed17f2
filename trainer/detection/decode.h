#pragma once
#include <torch/types.h>

#include <vector>

#include "letterpress/models/graph.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Every prediction of a graph's heads, P of each picture.
struct Candidates {
  torch::Tensor boxes;   ///< float32 [B, P, 4] x1 y1 x2 y2, pixels of the frame
  torch::Tensor scores;  ///< float32 [B, P, classes] 0..1 (objectness times class probability where
                         ///< there is an objectness)
};
/// Raw head outputs -> boxes and class scores, on the outputs' device, no host synchronisation.
///   outputs  per head float [B, channels, h, w] raw logits, in Graph::outputs order
///   side     pixels of the frame; h * stride must equal it, else Error (exit bug)
/// P counts head after head: with anchors (anchor_head.h) in each (y * w + x) * A + anchor, without
/// (distance_head.h) y * w + x.
Candidates decode_outputs(const Graph& graph, const std::vector<torch::Tensor>& outputs, int side);

/// Non-maximum suppression by options.suppression, exact: candidates are chosen and put in order
/// on their device, leave it in one copy, and suppress each other in float64 on the host, pictures
/// side by side. Every (box, class) with a score above its confidence is a candidate. Result per
/// picture, by score descending (ties: lower box index, then lower class first). No time limit.
std::vector<std::vector<Detection>> suppress(const Candidates& candidates,
                                             const DetectionOptions& options);

}  // namespace letterpress
