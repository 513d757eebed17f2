#pragma once
#include <torch/torch.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "letterpress/models/graph.h"
#include "tests/locations.h"
#include "trainer/batch.h"

namespace letterpress {

/// tests/golden/losses/yolov3.json
inline const nlohmann::json& yolov3_golden() {
  static const nlohmann::json golden =
      nlohmann::json::parse(std::ifstream(std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/losses/yolov3.json"));
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

/// Logits ((i * 7919) mod 10007) / 10007 * 2 - 1 over each head, as the golden's script.
inline std::vector<torch::Tensor> yolov3_outputs(const Graph& graph, std::int64_t pictures) {
  std::vector<torch::Tensor> outputs;
  for (const int layer : graph.outputs) {
    const Layer& head = graph.layers[static_cast<std::size_t>(layer)];
    const std::int64_t n = graph.side / head.head_stride;
    const std::int64_t channels = static_cast<std::int64_t>(head.anchor_mask.size()) * (5 + graph.classes);
    const torch::Tensor count = torch::arange(pictures * channels * n * n, torch::kLong);
    const torch::Tensor logits = (count * 7919).remainder(10007).to(torch::kDouble) / 10007 * 2 - 1;
    outputs.push_back(logits.to(torch::kFloat).view({pictures, channels, n, n}).detach().requires_grad_());
  }
  return outputs;
}

/// The golden's pictures, boxes padded to `max_boxes` rows.
inline Batch yolov3_batch(std::int64_t max_boxes = 4) {
  const nlohmann::json& golden = yolov3_golden();
  const auto pictures = static_cast<std::int64_t>(golden["boxes"].size());
  Batch batch;
  batch.boxes = torch::zeros({pictures, max_boxes, 5});
  batch.boxes.select(2, 4).fill_(-1);
  batch.flags = torch::zeros({pictures, max_boxes}, torch::kByte);
  batch.weight = torch::tensor(golden["weights"].get<std::vector<float>>());
  for (std::int64_t b = 0; b < pictures; ++b) {
    const nlohmann::json& rows = golden["boxes"][static_cast<std::size_t>(b)];
    for (std::size_t m = 0; m < rows.size(); ++m) {
      for (std::size_t i = 0; i < 5; ++i)
        batch.boxes[b][static_cast<std::int64_t>(m)][static_cast<std::int64_t>(i)] = rows[m][i].get<float>();
      batch.flags[b][static_cast<std::int64_t>(m)] = rows[m][5].get<int>();
    }
  }
  return batch;
}

/// Rows [first, first + n) of a batch.
inline Batch part_of(const Batch& batch, std::int64_t first, std::int64_t n) {
  Batch part;
  part.boxes = batch.boxes.narrow(0, first, n);
  part.flags = batch.flags.narrow(0, first, n);
  part.weight = batch.weight.narrow(0, first, n);
  return part;
}

}  // namespace letterpress
