#include <doctest/doctest.h>

#include <set>

#include "letterpress/base/error.h"
#include "trainer/losses/loss.h"
#include "trainer/network/network.h"

using namespace letterpress;

TEST_CASE("an unknown loss lists the known ones") {
  CHECK_THROWS_WITH_AS(
      make_loss({.loss = "yolov4"}),
      "unknown loss 'yolov4'; did you mean 'yolov3'? known: yolov3, cross-entropy, task-aligned",
      Error);
}

TEST_CASE(
    "every model's loss can be made, names its terms and gives a gradient; every loss is some "
    "model's") {
  std::set<std::string> used;
  for (const ModelInfo& info : model_infos()) {
    CAPTURE(info.name);
    const Graph graph = make_model(info.name, {.classes = 2, .side = 32});
    used.insert(graph.loss);
    Batch batch;
    batch.boxes = torch::tensor({4.f, 5.f, 26.f, 29.f, 1.f}).view({1, 1, 5});
    batch.flags = torch::zeros({1, 1}, torch::kByte);
    batch.label = torch::zeros({1}, torch::kLong);
    batch.weight = torch::ones({1});
    const std::vector<int> sides = output_sides(graph, 32);
    std::vector<torch::Tensor> outputs;
    for (const int output : graph.outputs) {
      const auto at = static_cast<std::size_t>(output);
      const bool whole = is_classifier(graph);
      outputs.push_back(whole ? torch::zeros({1, graph.classes})
                              : torch::zeros({1, graph.layers[at].channels, sides[at], sides[at]}));
      outputs.back().requires_grad_();
    }
    const auto loss = make_loss(graph);
    const LossValue value = (*loss)(outputs, batch);
    CHECK(value.terms.size() == loss->term_names().size());
    CHECK(value.sum.dim() == 0);
    CHECK(value.normaliser.item<double>() > 0);
    CHECK(!value.normaliser.requires_grad());
    for (const torch::Tensor& term : value.terms) CHECK(!term.requires_grad());
    value.sum.backward();
    for (const torch::Tensor& output : outputs) CHECK(output.grad().abs().sum().item<double>() > 0);
  }
  std::set<std::string> known;
  for (const EntryInfo& info : loss_infos()) {
    CHECK(!info.help.empty());
    known.insert(info.name);
  }
  CHECK(used == known);
}
