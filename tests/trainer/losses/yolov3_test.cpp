#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "letterpress/base/box.h"
#include "letterpress/base/error.h"
#include "tests/trainer/losses/yolov3_case.h"

using namespace letterpress;

TEST_CASE("values and gradients are those computed box by box and cell by cell") {
  check_golden(yolov3_golden(), yolov3_case(), 1e-6);
  CHECK(number(yolov3_case().measured().value.normaliser) ==
        yolov3_golden()["normaliser"].get<double>());
}

TEST_CASE("neither the layout of the outputs nor the amount of padding changes the loss") {
  check_layout_and_padding(yolov3_case(), 1e-6);
}

TEST_CASE("micro-batches sum to the whole batch, in values, normaliser and gradients") {
  const Measured whole = yolov3_case().measured();
  const auto [sum, normaliser] = check_micro_batches(yolov3_case(), 2, 1e-6);
  CHECK(sum == doctest::Approx(number(whole.value.sum)).epsilon(1e-6));
  CHECK(normaliser == number(whole.value.normaliser));
}

TEST_CASE("a picture of weight 0 has no gradient, and its content changes nothing") {
  const Graph graph = yolov3_graph();
  Batch batch = yolov3_batch();
  const Measured before = measure_loss(graph, yolov3_outputs(graph, 8), batch);
  for (const torch::Tensor& gradient : before.gradients)
    CHECK(gradient[5].abs().max().item<double>() == 0);
  batch.boxes[5] = batch.boxes[0];
  CHECK(number(measure_loss(graph, yolov3_outputs(graph, 8), batch).value.sum) ==
        number(before.value.sum));
}

TEST_CASE("of two boxes in one cell and anchor the last row is the object") {
  const Graph graph = yolov3_graph();
  const std::vector<float> first{17, 18, 29, 28, 0}, second{18, 19, 29, 29, 2};
  const auto loss = [&](const Batch& batch) {
    return measure_loss(graph, yolov3_outputs(graph, 1), batch).value.terms;
  };
  for (const bool swapped : {false, true}) {
    CAPTURE(swapped);
    const auto both =
        loss(swapped ? picture({second, first}, {0, 0}) : picture({first, second}, {0, 0}));
    const auto last = loss(swapped ? picture({first}, {0}) : picture({second}, {0}));
    for (const std::size_t term : {0u, 1u, 3u}) CHECK(number(both[term]) == number(last[term]));
  }
}

TEST_CASE("a crowd region is not an object, and cells inside it have no objectness loss") {
  const Graph graph = yolov3_graph();
  const auto outputs = yolov3_outputs(graph, 1);
  const Measured none = measure_loss(graph, outputs, picture({{0, 0, 0, 0, -1}}, {0}));
  const Measured crowd = measure_loss(graph, outputs, picture({{0, 0, 32, 64, 1}}, {kCrowd}));
  for (const std::size_t term : {0u, 1u, 3u}) CHECK(number(crowd.value.terms[term]) == 0);
  for (std::size_t head = 0; head < 2; ++head) {
    const std::int64_t half =
        outputs[head].size(3) / 2;  // the region covers the left half of the cells
    CHECK(crowd.gradients[head].narrow(3, 0, half).abs().max().item<double>() == 0);
    check_close(crowd.gradients[head].narrow(3, half, half),
                none.gradients[head].narrow(3, half, half), 1e-9);
    CHECK(none.gradients[head].narrow(3, 0, half).abs().max().item<double>() > 0);
  }
}

TEST_CASE("difficult boxes train as usual") {
  const Graph graph = yolov3_graph();
  const std::vector<float> row{10, 20, 54, 58, 2};
  const auto loss = [&](int flags) {
    return number(measure_loss(graph, yolov3_outputs(graph, 1), picture({row}, {flags})).value.sum);
  };
  CHECK(loss(kDifficult) == loss(0));
  CHECK(loss(kDifficult | kCut) == loss(0));
}

TEST_CASE("degenerate boxes and extreme logits give finite losses and gradients") {
  const Graph graph = yolov3_graph();
  const float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<std::vector<float>> rows{{20, 20, 20, 30, 1},     {20, 20, 30, 20, 1},
                                             {30, 30, 20, 20, 1},     {64, 64, 64, 64, 0},
                                             {0, 0, tiny, 5, 0},      {0, 0, 1e6, 1e6, 2},
                                             {-50, -50, -20, -20, 1}, {10, 10, 10.000001f, 40, 1}};
  for (const double logit : {0.0, -90.0, 90.0}) {
    CAPTURE(logit);
    std::vector<torch::Tensor> outputs;
    for (const torch::Tensor& output : yolov3_outputs(graph, 1))
      outputs.push_back(torch::full_like(output, logit).detach().requires_grad_());
    const Measured measured =
        measure_loss(graph, outputs, picture(rows, std::vector<int>(rows.size(), 0)));
    CHECK(std::isfinite(number(measured.value.sum)));
    for (const torch::Tensor& gradient : measured.gradients)
      CHECK(gradient.isfinite().all().item<bool>());
  }
}

TEST_CASE("a batch without any box row is all negatives") {
  const Graph graph = yolov3_graph();
  const auto outputs = yolov3_outputs(graph, 2);
  double wanted = 0;  // -log(1 - sigmoid(v)) = log(1 + exp(v)) over every objectness
  for (const torch::Tensor& output : outputs)
    for (const std::int64_t channel : {4, 12})
      wanted +=
          output.detach().select(1, channel).to(torch::kDouble).exp().log1p().sum().item<double>();
  const Measured measured = measure_loss(graph, outputs, without_boxes(2));
  CHECK(number(measured.value.sum) == doctest::Approx(wanted).epsilon(1e-6));
  CHECK(number(measured.value.terms[2]) == doctest::Approx(wanted).epsilon(1e-6));
}

TEST_CASE("more ground truths than fit in one piece of memory are compared as in one piece") {
  const Graph graph = yolov3_graph();
  const std::int64_t rows = 40000;  // x 40 predictions x 8 pictures: several pieces
  const Measured few = measure_loss(graph, yolov3_outputs(graph, 8), yolov3_batch());
  Batch many = yolov3_batch();
  torch::Tensor boxes = torch::zeros({8, rows, 5}), flags = torch::zeros({8, rows}, torch::kByte);
  boxes.select(2, 4).fill_(-1);
  boxes.narrow(1, rows - 4, 4).copy_(many.boxes);
  flags.narrow(1, rows - 4, 4).copy_(many.flags);
  many.boxes = boxes;
  many.flags = flags;
  CHECK(number(measure_loss(graph, yolov3_outputs(graph, 8), many).value.sum) ==
        doctest::Approx(number(few.value.sum)).epsilon(1e-6));
}

TEST_CASE("the same batch gives the same bits") { check_same_bits(yolov3_case()); }

TEST_CASE("nothing in the loss waits for the device") { check_never_waits(yolov3_case()); }

TEST_CASE("outputs that do not fit the graph are named") {
  const Graph graph = yolov3_graph();
  auto outputs = yolov3_outputs(graph, 8);
  const auto loss = make_loss(graph);
  CHECK_THROWS_WITH_AS((*loss)({outputs[0]}, yolov3_batch()),
                       "loss yolov3: got 1 outputs, the graph has 2", Error);
  outputs[1] = outputs[1].narrow(1, 0, 15);
  CHECK_THROWS_WITH_AS((*loss)(outputs, yolov3_batch()),
                       "loss yolov3: output 1 must be [B, 16, h, w], is [8, 15, 4, 4]", Error);
}
