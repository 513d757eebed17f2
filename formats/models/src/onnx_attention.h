#pragma once
#include <string>

#include "letterpress/models/graph.h"
#include "onnx_writer.h"

namespace letterpress {

/// Writes an attention layer as reshapes, two matrix products and a softmax. input: the name of its
/// input; side: of input and output, cells; type: of the network. Returns its output's name, which
/// is the layer's.
std::string write_attention(const Layer& layer, const std::string& input, int side, OnnxType type,
                            OnnxWriter& out);

}  // namespace letterpress
