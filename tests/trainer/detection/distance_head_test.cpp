#include "trainer/detection/distance_head.h"

#include <doctest/doctest.h>

#include <cmath>

#include "trainer/detection/decode.h"

using namespace letterpress;

namespace {

/// One head of 2 x 2 cells of 16 pixels, 3 bins and 2 classes.
Graph one_head() {
  Graph graph{.model = "head", .classes = 2, .side = 32};
  graph.layers = {
      {.name = "head", .kind = LayerKind::head, .channels = 4 * 3 + 2, .head_stride = 16}};
  graph.outputs = {0};
  return graph;
}

}  // namespace

TEST_CASE("boxes without anchors are the cell's centre less and plus the mean distances, by hand") {
  torch::Tensor output = torch::zeros({1, 14, 2, 2});
  const double three = std::log(3.0);
  output[0][0][1][0] = three;   // left: chances 3/5, 1/5, 1/5, mean 0.6 strides
  output[0][5][1][0] = three;   // top: 1/5, 1/5, 3/5, mean 1.4
  output[0][7][1][0] = 100;     // right: surely bin 1
  output[0][12][1][0] = three;  // class 0: 3/4
  const Candidates found = decode_outputs(one_head(), {output}, 32);
  REQUIRE(found.boxes.sizes() == std::vector<std::int64_t>{1, 4, 4});
  // Cell (x 0, y 1) is number 2, its centre (8, 24); the bottom distance is that of three equal
  // chances, 1 stride.
  const torch::Tensor box = torch::tensor({8 - 0.6f * 16, 24 - 1.4f * 16, 8 + 16.f, 24 + 16.f});
  CHECK(torch::allclose(found.boxes[0][2], box, 1e-5, 1e-4));
  CHECK(torch::allclose(found.boxes[0][1],
                        torch::tensor({24 - 16.f, 8 - 16.f, 24 + 16.f, 8 + 16.f}), 1e-5, 1e-4));
  CHECK(found.scores[0][2][0].item<double>() == doctest::Approx(0.75));
  CHECK(found.scores[0][2][1].item<double>() == doctest::Approx(0.5));
}

TEST_CASE(
    "heads without anchors: a batch is decoded as its pictures alone, in any layout and from half "
    "precision, finite for huge logits") {
  const Graph graph = one_head();
  const torch::Tensor output = torch::randn({3, 14, 2, 2});
  const Candidates all = decode_outputs(graph, {output}, 32),
                   last = decode_outputs(graph, {output.narrow(0, 2, 1)}, 32);
  CHECK(torch::allclose(all.boxes[2], last.boxes[0], 1e-6, 1e-5));
  CHECK(torch::equal(
      decode_outputs(graph, {output.contiguous(torch::MemoryFormat::ChannelsLast)}, 32).scores,
      all.scores));
  const torch::Tensor half = output.to(torch::kBFloat16);
  CHECK(torch::equal(decode_outputs(graph, {half}, 32).boxes,
                     decode_outputs(graph, {half.to(torch::kFloat)}, 32).boxes));
  for (const double logit : {500.0, -500.0, 1e30}) {
    const Candidates huge = decode_outputs(graph, {torch::full({1, 14, 2, 2}, logit)}, 32);
    CHECK(huge.boxes.isfinite().all().item<bool>());
    CHECK(huge.scores.isfinite().all().item<bool>());
  }
}

TEST_CASE("the parts of a head without anchors are where its channels say") {
  const torch::Tensor output = torch::arange(14 * 4, torch::kFloat).view({1, 14, 2, 2});
  const DistancePredictions predictions =
      distance_predictions(distance_head(one_head(), one_head().layers[0]), output);
  CHECK(predictions.distances[0][3][2][1].item<float>() ==
        (2 * 3 + 1) * 4 + 3);  // right, bin 1, cell 3
  CHECK(predictions.classes[0][2][1].item<float>() == 13 * 4 + 2);
  CHECK(torch::equal(predictions.points,
                     torch::tensor({{8.f, 8.f}, {24.f, 8.f}, {8.f, 24.f}, {24.f, 24.f}})));
}
