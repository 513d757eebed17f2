#include "trainer/losses/sample_losses.h"

#include <cmath>

#include "tests/trainer/losses/loss_case.h"

using namespace letterpress;

namespace {

/// Four pictures with 0 to 3 boxes, of which the last is padding.
Batch four_pictures() {
  Batch batch;
  batch.boxes = torch::zeros({4, 3, 5});
  batch.boxes.select(2, 4).fill_(-1);
  for (std::int64_t b = 1; b < 4; ++b) {
    for (std::int64_t m = 0; m < b; ++m) {
      const auto from = static_cast<float>(2 + 5 * m + b),
                 to = from + static_cast<float>(6 + 4 * m);
      batch.boxes[b][m] = torch::tensor({from, from / 2, to, to, static_cast<float>((b + m) % 2)});
    }
  }
  batch.flags = torch::zeros({4, 3}, torch::kByte);
  batch.label = torch::tensor({1, -1, 0, 1}, torch::kLong);
  batch.weight = torch::tensor({1.f, 1.f, 1.f, 0.f});
  return batch;
}

std::vector<torch::Tensor> outputs_of(const Graph& graph) {
  if (is_classifier(graph)) return {drawn_logits(4, graph.classes, 1).flatten(1)};
  const std::vector<int> sides = output_sides(graph, graph.side);
  std::vector<torch::Tensor> outputs;
  for (const int output : graph.outputs) {
    const auto at = static_cast<std::size_t>(output);
    outputs.push_back(drawn_logits(4, graph.layers[at].channels, sides[at]));
  }
  return outputs;
}

}  // namespace

TEST_CASE("the pictures' losses add up to the batch's, for every model's loss and its options") {
  for (const ModelInfo& info : model_infos()) {
    for (const LossOptions& options :
         {LossOptions{}, LossOptions{.label_smoothing = 0.1, .class_weights = {1, 3}}}) {
      CAPTURE(info.name);
      CAPTURE(options.label_smoothing);
      const Graph graph = make_model(info.name, {.classes = 2, .side = 32});
      const auto loss = make_loss(graph, options);
      const auto outputs = outputs_of(graph);
      const torch::Tensor samples = sample_losses(*loss, outputs, four_pictures());
      const LossValue whole = (*loss)(outputs, four_pictures());
      REQUIRE(samples.sizes() ==
              torch::IntArrayRef({4, static_cast<std::int64_t>(whole.terms.size())}));
      CHECK_FALSE(samples.requires_grad());
      for (std::size_t term = 0; term < whole.terms.size(); ++term) {
        CAPTURE(term);
        const double sum = number(samples.select(1, static_cast<std::int64_t>(term)).sum());
        CHECK(sum == doctest::Approx(number(whole.terms[term])).epsilon(1e-5));
      }
      CHECK(number(samples.sum()) == doctest::Approx(number(whole.sum)).epsilon(1e-5));
      CHECK(samples[3].abs().sum().item<double>() == 0);  // padding
      CHECK(samples[2].sum().item<double>() > 0);
    }
  }
}

TEST_CASE("the cross-entropy of each picture is that of its own logits, by hand") {
  const auto loss = make_loss({.loss = "cross-entropy", .classes = 2});
  Batch batch;
  batch.label = torch::tensor({0, 1}, torch::kLong);
  batch.weight = torch::ones({2});
  const torch::Tensor samples =
      sample_losses(*loss, {torch::tensor({{0.f, 0.f}, {3.f, 0.f}})}, batch);
  CHECK(number(samples[0][0]) == doctest::Approx(std::log(2.0)));
  CHECK(number(samples[1][0]) == doctest::Approx(3 + std::log1p(std::exp(-3.0))));
}
