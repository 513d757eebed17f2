#pragma once
#include <string>
#include <utility>

#include "letterpress/models/graph.h"
#include "onnx_writer.h"

namespace letterpress {

/// The nodes behind a head without anchors: {boxes [B, cells, 4] x1 y1 x2 y2 in pixels of the
/// frame, scores [B, cells, C]}. output: name of its float32 tensor; names of the nodes start with
/// the layer's.
std::pair<std::string, std::string> write_distance_head(const Graph& graph, const Layer& head,
                                                        const std::string& output, OnnxWriter& out);

}  // namespace letterpress
