#include <doctest/doctest.h>

#include <cmath>

#include "letterpress/base/error.h"
#include "tests/trainer/losses/loss_case.h"
#include "tests/trainer/losses/yolov3_case.h"

using namespace letterpress;

namespace {

Graph classifier() { return make_model("minigooglenet", {.classes = 3, .side = 32}); }

/// Chances 1/2, 1/4, 1/4 and 1/8, 1/8, 3/4; the third picture has no label, the fourth is padding.
std::vector<torch::Tensor> logits() {
  const torch::Tensor chances = torch::tensor(
      {{0.5f, 0.25f, 0.25f}, {0.125f, 0.125f, 0.75f}, {0.9f, 0.05f, 0.05f}, {0.1f, 0.1f, 0.8f}});
  return {(chances.log() + 7).requires_grad_()};
}

Batch labelled() {
  Batch batch;
  batch.label = torch::tensor({0, 1, -1, 2}, torch::kLong);
  batch.weight = torch::tensor({1.f, 1.f, 1.f, 0.f});
  return batch;
}

}  // namespace

TEST_CASE(
    "cross-entropy is that of the labelled pictures, by hand, and its gradient is probability "
    "minus target") {
  const Measured measured = measure_loss(classifier(), logits(), labelled());
  CHECK(number(measured.value.sum) == doctest::Approx(std::log(2.0) + std::log(8.0)));
  CHECK(number(measured.value.normaliser) == 2);
  const torch::Tensor wanted = torch::tensor(
      {{-0.5f, 0.25f, 0.25f}, {0.125f, -0.875f, 0.75f}, {0.f, 0.f, 0.f}, {0.f, 0.f, 0.f}});
  check_close(measured.gradients[0], wanted, 1e-6);
}

TEST_CASE(
    "label smoothing spreads its share over all classes; class weights multiply a picture's loss "
    "by its class") {
  const auto loss_with = [](const LossOptions& options) {
    return number((*make_loss(classifier(), options))(logits(), labelled()).sum);
  };
  const double a = std::log(2.0), b = std::log(4.0), c = std::log(8.0), d = -std::log(0.75);
  const double first = (0.7 + 0.1) * a + 0.1 * b + 0.1 * b,
               second = 0.1 * c + (0.7 + 0.1) * c + 0.1 * d;
  CHECK(loss_with({.label_smoothing = 0.3}) == doctest::Approx(first + second));
  CHECK(loss_with({.class_weights = {2, 0.5, 1}}) == doctest::Approx(2 * a + 0.5 * c));
  CHECK(loss_with({.label_smoothing = 0.3, .class_weights = {2, 0.5, 1}}) ==
        doctest::Approx(2 * first + 0.5 * second));
}

TEST_CASE(
    "detectors: weights multiply the class terms of their objects and nothing else; smoothing "
    "moves class targets only") {
  const Graph graph = yolov3_graph();
  const auto terms_with = [&](const LossOptions& options, const Batch& batch) {
    return (*make_loss(graph, options))(yolov3_outputs(graph, 1), batch).terms;
  };
  const Batch one = picture({{10, 20, 54, 58, 2}}, {0}), other = picture({{30, 2, 50, 31, 1}}, {0});
  const auto plain = terms_with({}, one), weighted = terms_with({.class_weights = {1, 1, 5}}, one),
             smooth = terms_with({.label_smoothing = 0.2}, one);
  for (const std::size_t term : {0u, 1u, 2u}) {
    CHECK(number(weighted[term]) == number(plain[term]));
    CHECK(number(smooth[term]) == number(plain[term]));
  }
  CHECK(number(weighted[3]) == doctest::Approx(5 * number(plain[3])));
  CHECK(number(smooth[3]) != number(plain[3]));
  CHECK(number(terms_with({.class_weights = {1, 1, 5}}, other)[3]) ==
        number(terms_with({}, other)[3]));
}

TEST_CASE("options and outputs that do not fit are named") {
  CHECK_THROWS_WITH_AS(make_loss(classifier(), {.class_weights = {1, 2}}),
                       "class weights: got 2, the model has 3 classes", Error);
  CHECK_THROWS_WITH_AS(make_loss(classifier(), {.label_smoothing = 1}),
                       "label smoothing is 1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS((*make_loss(classifier()))({torch::zeros({2, 4})}, labelled()),
                       "loss cross-entropy: must have one output [B, 3], got 1, the first [2, 4]",
                       Error);
}

TEST_CASE("nothing in the cross-entropy waits for the device") {
  const auto loss = make_loss(classifier(), {.label_smoothing = 0.1, .class_weights = {1, 2, 3}});
  (*loss)(logits(), labelled());  // the weights move once
  CHECK(waiting_operators([&] { (*loss)(logits(), labelled()).sum.backward(); }).empty());
}
