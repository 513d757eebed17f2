#pragma once
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "tests/trainer/losses/loss_case.h"

namespace letterpress {

/// tests/golden/losses/yolov3.json
inline const nlohmann::json& yolov3_golden() {
  static const nlohmann::json golden = loss_golden("yolov3");
  return golden;
}

/// The golden's model: nothing but its two heads.
inline Graph yolov3_graph() {
  const nlohmann::json& golden = yolov3_golden();
  Graph graph;
  graph.model = "heads";
  graph.loss = "yolov3";
  graph.classes = golden["classes"];
  graph.side = golden["side"];
  graph.anchors = golden["anchors"].get<std::vector<double>>();
  graph.ignore_iou = golden["ignore_iou"];
  for (std::size_t i = 0; i < golden["strides"].size(); ++i) {
    Layer head;
    head.name = "head" + std::to_string(i);
    head.kind = LayerKind::head;
    head.head_stride = golden["strides"][i];
    head.anchor_mask = golden["masks"][i].get<std::vector<int>>();
    graph.outputs.push_back(static_cast<int>(graph.layers.size()));
    graph.layers.push_back(head);
  }
  return graph;
}

inline std::vector<torch::Tensor> yolov3_outputs(const Graph& graph, std::int64_t pictures) {
  std::vector<torch::Tensor> outputs;
  for (const int layer : graph.outputs) {
    const Layer& head = graph.layers[static_cast<std::size_t>(layer)];
    outputs.push_back(drawn_logits(
        pictures, static_cast<std::int64_t>(head.anchor_mask.size()) * (5 + graph.classes),
        graph.side / head.head_stride));
  }
  return outputs;
}

/// The golden's pictures, boxes padded to `max_boxes` rows.
inline Batch yolov3_batch(std::int64_t max_boxes = 4) {
  return golden_batch(yolov3_golden(), max_boxes);
}

inline LossCase yolov3_case() {
  const Graph graph = yolov3_graph();
  return {graph, 8, [graph](std::int64_t pictures) { return yolov3_outputs(graph, pictures); },
          yolov3_batch};
}

}  // namespace letterpress
