#include "trainer/detection/decode.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/trainer/golden_json.h"

using namespace letterpress;

namespace {

Graph two_heads() {
  const nlohmann::json& made = golden_json("detection/detection");
  Graph graph;
  graph.classes = made["classes"];
  graph.side = made["side"];
  graph.anchors = made["anchors"].get<std::vector<double>>();
  for (std::size_t i = 0; i < made["strides"].size(); ++i) {
    Layer head;
    head.name = "head" + std::to_string(i);
    head.kind = LayerKind::head;
    head.head_stride = made["strides"][i];
    head.anchor_mask = made["masks"][i].get<std::vector<int>>();
    graph.outputs.push_back(static_cast<int>(i));
    graph.layers.push_back(head);
  }
  return graph;
}

/// ((i * 7919) mod 10007) / 10007 * 8 - 4 over one picture of each head, as the golden's script.
std::vector<torch::Tensor> logits(const Graph& graph) {
  std::vector<torch::Tensor> outputs;
  for (const Layer& head : graph.layers) {
    const std::int64_t n = graph.side / head.head_stride;
    const std::int64_t channels =
        static_cast<std::int64_t>(head.anchor_mask.size()) * (5 + graph.classes);
    const torch::Tensor count = torch::arange(channels * n * n, torch::kLong);
    outputs.push_back(((count * 7919).remainder(10007).to(torch::kDouble) / 10007 * 8 - 4)
                          .to(torch::kFloat)
                          .view({1, channels, n, n}));
  }
  return outputs;
}

torch::Tensor matrix(const nlohmann::json& rows) {
  std::vector<float> values;
  for (const nlohmann::json& row : rows)
    for (const nlohmann::json& value : row) values.push_back(value.get<float>());
  return torch::tensor(values).view({1, static_cast<std::int64_t>(rows.size()), -1});
}

}  // namespace

TEST_CASE("boxes and scores are those computed one by one, head after head") {
  const Graph graph = two_heads();
  std::vector<torch::Tensor> outputs = logits(graph);
  for (const bool channels_last : {false, true}) {
    CAPTURE(channels_last);
    if (channels_last)
      for (torch::Tensor& output : outputs)
        output = output.contiguous(torch::MemoryFormat::ChannelsLast);
    const Candidates candidates = decode_outputs(graph, outputs, graph.side);
    const torch::Tensor boxes = matrix(golden_json("detection/detection")["boxes"]),
                        scores = matrix(golden_json("detection/detection")["scores"]);
    REQUIRE(candidates.boxes.sizes() == boxes.sizes());
    REQUIRE(candidates.scores.sizes() == scores.sizes());
    CHECK(torch::allclose(candidates.boxes, boxes, 1e-5, 1e-4));
    CHECK(torch::allclose(candidates.scores, scores, 1e-5, 1e-6));
  }
}

TEST_CASE("pictures of a batch are decoded as alone") {
  const Graph graph = two_heads();
  std::vector<torch::Tensor> outputs = logits(graph), batch;
  for (const torch::Tensor& output : outputs) batch.push_back(torch::cat({output * 0.5, output}));
  const Candidates both = decode_outputs(graph, batch, graph.side),
                   alone = decode_outputs(graph, outputs, graph.side);
  CHECK(torch::equal(both.boxes[1], alone.boxes[0]));
  CHECK(torch::equal(both.scores[1], alone.scores[0]));
}

TEST_CASE("huge logits give finite boxes") {
  const Graph graph = two_heads();
  for (const double logit : {500.0, -500.0, 1e30}) {
    CAPTURE(logit);
    std::vector<torch::Tensor> outputs = logits(graph);
    for (torch::Tensor& output : outputs) output.fill_(logit);
    const Candidates candidates = decode_outputs(graph, outputs, graph.side);
    CHECK(candidates.boxes.isfinite().all().item<bool>());
    CHECK(candidates.scores.isfinite().all().item<bool>());
    const torch::Tensor size = candidates.boxes.narrow(2, 2, 2) - candidates.boxes.narrow(2, 0, 2);
    CHECK(size.prod(2).isfinite().all().item<bool>());
  }
}

TEST_CASE("half-precision outputs are decoded in float32") {
  const Graph graph = two_heads();
  std::vector<torch::Tensor> outputs = logits(graph), rounded;
  for (torch::Tensor& output : outputs) {
    output = output.to(torch::kBFloat16);
    rounded.push_back(output.to(torch::kFloat));
  }
  CHECK(torch::equal(decode_outputs(graph, outputs, graph.side).boxes,
                     decode_outputs(graph, rounded, graph.side).boxes));
}

TEST_CASE("outputs and graphs that do not fit are named") {
  Graph graph = two_heads();
  const std::vector<torch::Tensor> outputs = logits(graph);
  CHECK_THROWS_WITH_AS(decode_outputs(graph, {outputs[0]}, 64),
                       "decoding: got 1 outputs, the graph has 2", Error);
  CHECK_THROWS_WITH_AS(decode_outputs(graph, outputs, 96),
                       "decoding: output 0 has 2x2 cells of 32 pixels, the frame 96 pixels", Error);
  graph.layers[1].anchor_mask = {3};
  CHECK_THROWS_WITH_AS(decode_outputs(graph, outputs, 64),
                       "layer head1: anchor_mask names anchor 3, the graph has 0..2", Error);
  graph.layers[1].anchor_mask = {};
  CHECK_THROWS_WITH_AS(decode_outputs(graph, outputs, 64),
                       "layer head1: an output without anchors needs four distances of two bins or "
                       "more and 2 classes, has 0 channels",
                       Error);
  graph.layers[1].head_stride = 0;
  CHECK_THROWS_WITH_AS(decode_outputs(graph, outputs, 64),
                       "layer head1: head_stride is 0, must be 1 or more", Error);
  graph = two_heads();
  graph.layers[0].head_stride = 0;
  CHECK_THROWS_WITH_AS(decode_outputs(graph, outputs, 64),
                       "layer head0: head_stride is 0, must be 1 or more", Error);
}
