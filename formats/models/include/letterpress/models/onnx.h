#pragma once
#include <string>

#include "letterpress/models/graph.h"
#include "letterpress/models/graph_weights.h"
#include "letterpress/models/onnx_options.h"

namespace letterpress {

/// An ONNX model (github.com/onnx/onnx, onnx.proto3: IR version 7, opset 13) with input "images",
/// float32 [B, 3, side, side], RGB 0..1. Batch norms are folded into their convolutions, dropout is
/// left out. Throws Error (configuration) naming the layer where a tensor is missing, has another
/// number of values or is beyond float16, or where the heads are not of a kind that `output`
/// can be made from.
std::string to_onnx(const Graph& graph, const GraphWeights& weights, const OnnxOptions& options);

}  // namespace letterpress
