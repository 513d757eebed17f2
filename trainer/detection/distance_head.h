#pragma once
#include <torch/types.h>

#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// One output of a graph without anchors: h x w cells, and for each its distances to the left, top,
/// right and bottom edge of a box, each as a distribution over 0, 1, ..., bins - 1 strides
/// (arXiv:2006.04388, section 3.2). Its predictions are numbered y * w + x.
struct DistanceHead {
  int stride = 0;  ///< pixels per cell
  int bins = 0;
};
/// Reads such a head from the output layer. Throws Error naming the layer when it has no stride or
/// channels other than 4 * bins + classes.
DistanceHead distance_head(const Graph& graph, const Layer& layer);

/// A head's raw output and its points. P = h * w.
struct DistancePredictions {
  torch::Tensor distances;  ///< float [B, P, 4, bins] logits: left, top, right, bottom
  torch::Tensor classes;    ///< float [B, P, classes] logits
  torch::Tensor points;     ///< float [P, 2] x y: the cells' centres, pixels of the frame
};
/// output: float [B, 4 * bins + classes, h, w]. Of the same type, but at least float32.
DistancePredictions distance_predictions(const DistanceHead& head, const torch::Tensor& output);

/// Mean of each distribution, [..., bins] logits -> [...], in strides.
torch::Tensor mean_distances(const torch::Tensor& logits);

/// Boxes around points. points [P, 2] and distances [B, P, 4] in one unit -> [B, P, 4] x1 y1 x2 y2.
torch::Tensor boxes_around(const torch::Tensor& points, const torch::Tensor& distances);

}  // namespace letterpress
