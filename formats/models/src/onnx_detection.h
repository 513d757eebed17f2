#pragma once
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "letterpress/models/onnx_options.h"
#include "onnx_writer.h"

namespace letterpress {

/// The nodes behind the heads (names of float32 tensors, in Graph::outputs order) that make
/// OnnxOutput::decoded, declared as outputs.
void write_decoded(const Graph& graph, const std::vector<std::string>& heads,
                   const OnnxDimension& batch, OnnxWriter& out);
/// The same for OnnxOutput::ultralytics.
void write_ultralytics(const Graph& graph, const std::vector<std::string>& heads,
                       const OnnxDimension& batch, OnnxWriter& out);
/// The same for OnnxOutput::detections.
void write_detections(const Graph& graph, const std::vector<std::string>& heads,
                      const OnnxOptions& options, OnnxWriter& out);

}  // namespace letterpress
