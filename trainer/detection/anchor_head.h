#pragma once
#include <torch/types.h>

#include <vector>

#include "letterpress/models/graph.h"

namespace letterpress {

/// One anchor-based output of a graph, YOLOv3, arXiv:1804.02767: h x w cells with A anchors each.
/// Its predictions are numbered (y * w + x) * A + anchor.
struct AnchorHead {
  int stride = 0;              ///< pixels per cell
  std::vector<int> anchors;    ///< [A] indices into Graph::anchors
  std::vector<double> widths;  ///< [A] pixels of the frame
  std::vector<double> heights;
};

/// Reads such a head from the output layer. Throws Error naming the layer when it has no stride or
/// an anchor that the graph lacks.
AnchorHead anchor_head(const Graph& graph, const Layer& layer);
/// The heads of a graph whose heads all have anchors, in Graph::outputs order.
std::vector<AnchorHead> anchor_heads(const Graph& graph);

/// float [B, A*(5+classes), h, w] -> float32 [B, h*w*A, 5+classes]: x y w h objectness class...,
/// all raw. No copy for channels_last float32.
torch::Tensor head_predictions(const AnchorHead& head, const torch::Tensor& output);

/// Raw predictions [B, h*w*A, >= 4] of a head with `height` x `width` cells -> float32 [B, h*w*A,
/// 4] x1 y1 x2 y2, pixels of the frame: centre (sigmoid(x, y) + cell) * stride, size exp(w, h) *
/// anchor. exp's argument is at most 15, so that boxes and their areas stay finite.
torch::Tensor decode_boxes(const AnchorHead& head, const torch::Tensor& predictions,
                           std::int64_t height, std::int64_t width);

/// Centre of each prediction's cell, float32 [h*w*A, 2] x y, pixels of the frame.
torch::Tensor cell_centres(const AnchorHead& head, std::int64_t height, std::int64_t width,
                           torch::Device device);

}  // namespace letterpress
