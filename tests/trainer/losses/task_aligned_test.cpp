#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "letterpress/base/box.h"
#include "letterpress/base/error.h"
#include "tests/trainer/losses/loss_case.h"
#include "trainer/losses/alignment.h"

using namespace letterpress;

namespace {

const nlohmann::json& golden() {
  static const nlohmann::json read = loss_golden("task_aligned");
  return read;
}

/// The golden's model: nothing but its two heads.
Graph heads_graph() {
  Graph graph{.model = "heads",
              .loss = "task-aligned",
              .classes = golden()["classes"],
              .side = golden()["side"]};
  for (std::size_t i = 0; i < golden()["strides"].size(); ++i) {
    graph.outputs.push_back(static_cast<int>(i));
    graph.layers.push_back({.name = "head" + std::to_string(i),
                            .kind = LayerKind::head,
                            .channels = 4 * golden()["bins"].get<int>() + graph.classes,
                            .head_stride = golden()["strides"][i]});
  }
  return graph;
}

std::vector<torch::Tensor> heads_outputs(const Graph& graph, std::int64_t pictures) {
  std::vector<torch::Tensor> outputs;
  for (const Layer& head : graph.layers)
    outputs.push_back(drawn_logits(pictures, head.channels, graph.side / head.head_stride));
  return outputs;
}

Batch heads_batch(std::int64_t max_boxes = 4) { return golden_batch(golden(), max_boxes); }
const std::int64_t kPictures = 7;

LossCase heads_case() {
  const Graph graph = heads_graph();
  return {graph, kPictures,
          [graph](std::int64_t pictures) { return heads_outputs(graph, pictures); }, heads_batch};
}

GroundTruths ground_truths(const std::vector<std::vector<float>>& rows) {
  return ground_truths_of(picture(rows, std::vector<int>(rows.size(), 0)));
}

}  // namespace

TEST_CASE("values and gradients are those computed point by point") {
  check_golden(golden(), heads_case(), 2e-6);
  CHECK(number(heads_case().measured().value.normaliser) ==
        doctest::Approx(golden()["normaliser"].get<double>()).epsilon(2e-6));
}

TEST_CASE("of a network in float64 everything is computed in float64") {
  const Graph graph = heads_graph();
  std::vector<torch::Tensor> outputs;
  for (const torch::Tensor& output : heads_outputs(graph, kPictures))
    outputs.push_back(output.detach().to(torch::kDouble).requires_grad_());
  const Measured measured = measure_loss(graph, outputs, heads_batch());
  CHECK((measured.value.sum.scalar_type() == torch::kDouble));
  CHECK((measured.value.normaliser.scalar_type() == torch::kDouble));
  CHECK(number(measured.value.normaliser) ==
        doctest::Approx(golden()["normaliser"].get<double>()).epsilon(1e-7));
}

TEST_CASE(
    "neither the layout of the outputs nor the amount of padding changes the loss without "
    "anchors") {
  check_layout_and_padding(heads_case(), 1e-5);
}

TEST_CASE("micro-batches sum to the whole batch, the sum of target scores included") {
  const Measured whole = heads_case().measured();
  const auto [sum, normaliser] = check_micro_batches(heads_case(), 1, 1e-5);
  CHECK(sum == doctest::Approx(number(whole.value.sum)).epsilon(1e-5));
  CHECK(normaliser == doctest::Approx(number(whole.value.normaliser)).epsilon(1e-5));
}

TEST_CASE("more ground truths than fit in one piece of memory are assigned as in one piece") {
  const Graph graph = heads_graph();
  const Measured few = measure_loss(graph, heads_outputs(graph, kPictures), heads_batch());
  const Measured many = measure_loss(graph, heads_outputs(graph, kPictures),
                                     heads_batch(40000));  // x 45 points x 7 pictures
  CHECK(number(many.value.sum) == doctest::Approx(number(few.value.sum)).epsilon(1e-6));
}

TEST_CASE(
    "a picture of weight 0 has no gradient, and its content changes nothing; without anchors, "
    "too") {
  const Graph graph = heads_graph();
  Batch batch = heads_batch();
  const Measured before = measure_loss(graph, heads_outputs(graph, kPictures), batch);
  for (const torch::Tensor& gradient : before.gradients)
    CHECK(gradient[4].abs().max().item<double>() == 0);
  batch.boxes[4] = batch.boxes[0];
  CHECK(number(measure_loss(graph, heads_outputs(graph, kPictures), batch).value.sum) ==
        doctest::Approx(number(before.value.sum)).epsilon(1e-7));
}

TEST_CASE("a batch without any box row is all negatives, and its normaliser is 0") {
  const Graph graph = heads_graph();
  const auto outputs = heads_outputs(graph, 2);
  double wanted = 0;  // -log(1 - sigmoid(v)) = log(1 + exp(v)) over every class, times 0.5
  for (const torch::Tensor& output : outputs)
    wanted +=
        0.5 *
        output.detach().narrow(1, 20, 3).to(torch::kDouble).exp().log1p().sum().item<double>();
  const Measured measured = measure_loss(graph, outputs, without_boxes(2));
  CHECK(number(measured.value.sum) == doctest::Approx(wanted).epsilon(1e-6));
  CHECK(number(measured.value.normaliser) == 0);
}

TEST_CASE("degenerate boxes and extreme logits give finite losses and gradients without anchors") {
  const Graph graph = heads_graph();
  const float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<std::vector<float>> rows{
      {20, 20, 20, 30, 1}, {30, 30, 20, 20, 1},     {48, 48, 48, 48, 0},         {0, 0, tiny, 5, 0},
      {0, 0, 1e6, 1e6, 2}, {-50, -50, -20, -20, 1}, {10, 10, 10.000001f, 40, 1}, {0, 0, 48, 48, 2}};
  for (const double logit : {0.0, -90.0, 90.0}) {
    CAPTURE(logit);
    std::vector<torch::Tensor> outputs = heads_outputs(graph, 1);
    for (torch::Tensor& output : outputs) {
      output = output.detach().clone();
      output.narrow(1, 2, 20).fill_(logit);  // classes, and bins that are not alike
      output.requires_grad_();
    }
    const Measured measured =
        measure_loss(graph, outputs, picture(rows, std::vector<int>(rows.size(), 0)));
    CHECK(std::isfinite(number(measured.value.sum)));
    for (const torch::Tensor& gradient : measured.gradients)
      CHECK(gradient.isfinite().all().item<bool>());
  }
}

TEST_CASE("nothing in the loss without anchors waits for the device") {
  check_never_waits(heads_case());
}

TEST_CASE("the same batch gives the same bits without anchors") { check_same_bits(heads_case()); }

TEST_CASE(
    "a ground truth takes the ten best of the points inside it, its best one with its best overlap "
    "as "
    "target") {
  // 5 x 5 points 8 apart, all with the ground truth's own box; the later, the surer.
  torch::Tensor points = torch::stack({torch::arange(25).remainder(5) * 8 + 4,
                                       torch::div(torch::arange(25), 5, "floor") * 8 + 4},
                                      1)
                             .to(torch::kFloat);
  torch::Tensor boxes = torch::tensor({0.f, 0.f, 30.f, 30.f}).expand({1, 25, 4}).clone();
  const torch::Tensor scores = (0.1 + 0.03 * torch::arange(25).to(torch::kFloat)).view({1, 25, 1});
  const Alignment found = align(ground_truths({{0, 0, 30, 30, 0}}), {points, boxes, scores});
  // Points with both coordinates under 30 are inside: rows and columns 0 to 3; the surest ten are
  // rows 3, 2 and of row 1 the last two.
  std::vector<std::int64_t> wanted;
  for (const std::int64_t p : {7, 8, 10, 11, 12, 13, 15, 16, 17, 18}) wanted.push_back(p);
  for (std::int64_t p = 0; p < 25; ++p) {
    CAPTURE(p);
    CHECK(found.positive[0][p].item<bool>() ==
          (std::find(wanted.begin(), wanted.end(), p) != wanted.end()));
  }
  CHECK(found.score[0][18].item<double>() ==
        doctest::Approx(1));  // the surest, and the overlap is 1
  CHECK(found.score[0][7].item<double>() ==
        doctest::Approx(std::sqrt((0.1 + 0.03 * 7) / (0.1 + 0.03 * 18))));
  CHECK(found.score[0][24].item<double>() == 0);
}

TEST_CASE("an object between the points is found from where one of a cell's size would be") {
  // Points 8 apart; the object lies between four of them.
  const torch::Tensor points =
      torch::tensor({{4.f, 4.f}, {12.f, 4.f}, {4.f, 12.f}, {12.f, 12.f}, {20.f, 12.f}});
  const torch::Tensor boxes = torch::tensor({5.f, 5.f, 12.f, 12.f}).expand({1, 5, 4}).clone();
  const torch::Tensor scores = torch::full({1, 5, 1}, 0.5f);
  const GroundTruths between = ground_truths({{6, 6, 11, 11, 0}});
  CHECK_FALSE(align(between, {points, boxes, scores}).positive.any().item<bool>());
  // From 4.496 to 12.504.
  const Alignment found = align(between, {points, boxes, scores, 8});
  CHECK(found.positive.equal(torch::tensor({{false, false, false, true, false}})));
  CHECK(found.score[0][3].item<double>() > 0.4);
  // In the middle of four points all of them count, and none further away.
  const Alignment all = align(ground_truths({{6, 6, 10, 10, 0}}), {points, boxes, scores, 8});
  CHECK(all.positive.equal(torch::tensor({{true, true, true, true, false}})));
}

TEST_CASE(
    "a point that two ground truths claim goes to the one that its box overlaps more; unused rows "
    "and "
    "crowds take none") {
  const torch::Tensor points = torch::tensor({{10.f, 10.f}}),
                      boxes = torch::tensor({{{0.f, 0.f, 20.f, 22.f}}});
  const torch::Tensor scores = torch::tensor({{{0.9f, 0.1f}}});
  const Alignment found =
      align(ground_truths({{0, 0, 18, 18, 0}, {0, 0, 20, 20, 1}, {0, 0, 0, 0, -1}}),
            {points, boxes, scores});
  CHECK(found.positive[0][0].item<bool>());
  CHECK(found.ground_truth[0][0].item<std::int64_t>() == 1);
  const Alignment crowd =
      align(ground_truths_of(picture({{0, 0, 20, 22, 0}}, {kCrowd})), {points, boxes, scores});
  CHECK_FALSE(crowd.positive[0][0].item<bool>());
}

TEST_CASE("outputs that do not fit a graph without anchors are named") {
  Graph graph = heads_graph();
  auto outputs = heads_outputs(graph, kPictures);
  const auto loss = make_loss(graph);
  CHECK_THROWS_WITH_AS((*loss)({outputs[0]}, heads_batch()),
                       "loss task-aligned: got 1 outputs, the graph has 2", Error);
  outputs[1] = outputs[1].narrow(1, 0, 22);
  CHECK_THROWS_WITH_AS((*loss)(outputs, heads_batch()),
                       "loss task-aligned: output 1 must be [B, 23, h, w], is [7, 22, 6, 6]",
                       Error);
  graph.layers[1].channels = 4 * 6 + 3;
  CHECK_THROWS_WITH_AS(make_loss(graph),
                       "loss task-aligned: heads of 5 and 6 bins per distance, must be equal",
                       Error);
  graph.layers[1].channels = 9;
  CHECK_THROWS_WITH_AS(make_loss(graph),
                       "layer head1: an output without anchors needs four distances of two bins or "
                       "more and 3 classes, has 9 channels",
                       Error);
}
