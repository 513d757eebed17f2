#include "trainer/optimisers/optimiser.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"
#include "tests/locations.h"

using namespace letterpress;

namespace {

const nlohmann::json& golden() {
  static const nlohmann::json parsed = nlohmann::json::parse(std::ifstream(
      std::string(LETTERPRESS_SOURCE_DIR) + "/tests/golden/optimisers/optimisers.json"));
  return parsed;
}

/// ((i * 37 + start) mod 101) / 50 - 1, as the golden's script.
torch::Tensor formula(const std::vector<std::int64_t>& shape, std::int64_t start) {
  const torch::Tensor count = torch::arange(c10::multiply_integers(shape), torch::kLong);
  return ((count * 37 + start).remainder(101).to(torch::kDouble) / 50 - 1)
      .to(torch::kFloat)
      .view(shape);
}

std::vector<NamedTensor> parameters(bool channels_last = false) {
  std::vector<NamedTensor> result;
  for (std::size_t k = 0; k < golden()["names"].size(); ++k) {
    torch::Tensor value = formula(golden()["shapes"][k], static_cast<std::int64_t>(11 * k));
    if (channels_last && value.dim() == 4)
      value = value.contiguous(torch::MemoryFormat::ChannelsLast);
    result.push_back({golden()["names"][k], value.requires_grad_()});
  }
  return result;
}

/// The gradients of the golden's step, before its scale.
void set_gradients(std::vector<NamedTensor>& named, std::size_t step) {
  for (std::size_t k = 0; k < named.size(); ++k)
    named[k].value.mutable_grad() =
        formula(named[k].value.sizes().vec(), static_cast<std::int64_t>(5 * k + 17 * step)) * 8;
}

OptimiserOptions options_of(const nlohmann::json& made) {
  OptimiserOptions options{.name = made["name"].get<std::string>(),
                           .weight_decay = made["weight_decay"],
                           .clip_norm = made["clip"]};
  if (options.name == "sgd") {
    options.momentum = made["momentum"];
    options.nesterov = made["nesterov"];
  } else {
    options.beta1 = made["beta1"];
    options.beta2 = made["beta2"];
    options.epsilon = made["eps"];
  }
  return options;
}

double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.detach() - b.detach()).abs().max().item<double>();
}

const torch::Tensor kOne = torch::ones({});

}  // namespace

TEST_CASE(
    "six steps give the parameters and gradient norms of PyTorch's own optimisers, in either "
    "layout") {
  const torch::Tensor scale = torch::full({}, golden()["scale"].get<double>());
  for (const nlohmann::json& made : golden()["cases"])
    for (const bool channels_last : {false, true}) {
      CAPTURE(made["title"].get<std::string>());
      CAPTURE(channels_last);
      std::vector<NamedTensor> named = parameters(channels_last);
      const auto optimiser = make_optimiser(options_of(made), named);
      for (std::size_t step = 0; step < made["steps"].size(); ++step) {
        const nlohmann::json& wanted = made["steps"][step];
        CAPTURE(step);
        set_gradients(named, step);
        const torch::Tensor norm = optimiser->step(wanted["lr"].get<double>(), scale);
        CHECK(norm.item<double>() == doctest::Approx(wanted["norm"].get<double>()).epsilon(1e-5));
        for (std::size_t k = 0; k < named.size(); ++k) {
          const torch::Tensor values = torch::tensor(wanted["values"][k].get<std::vector<float>>())
                                           .view(named[k].value.sizes());
          CHECK(distance(named[k].value, values) < 2e-6);
        }
      }
      CHECK(optimiser->skipped().item<double>() == 0);
    }
}

TEST_CASE("a run that is interrupted and resumed from the state has the same bits") {
  for (const EntryInfo& info : optimiser_infos()) {
    CAPTURE(info.name);
    const OptimiserOptions options{.name = info.name};
    std::vector<NamedTensor> whole = parameters(), cut = parameters();
    const auto one = make_optimiser(options, whole);
    auto other = make_optimiser(options, cut);
    for (std::size_t step = 0; step < 6; ++step) {
      if (step == 3) {
        std::map<std::string, torch::Tensor> kept{{"unrelated", kOne}};
        for (const auto& [name, tensor] : other->state()) kept[name] = tensor.clone();
        other = make_optimiser(options, cut);
        other->load_state(kept);
      }
      set_gradients(whole, step);
      set_gradients(cut, step);
      one->step(0.01, kOne);
      other->step(0.01, kOne);
    }
    for (std::size_t k = 0; k < whole.size(); ++k)
      CHECK(torch::equal(whole[k].value, cut[k].value));
  }
}

TEST_CASE("state is named by parameter and slot") {
  const auto names = [](const OptimiserOptions& options) {
    std::vector<std::string> result;
    for (const auto& [name, tensor] :
         make_optimiser(options, {{"stem.weight", torch::ones({2, 2})}})->state())
      result.push_back(name);
    return result;
  };
  CHECK(names({.name = "sgd"}) == std::vector<std::string>{"optimiser.stem.weight.velocity"});
  CHECK(names({.name = "sgd", .momentum = 0, .nesterov = false}).empty());
  for (const char* name : {"adam", "adamw"})
    CHECK(names({.name = name}) == std::vector<std::string>{"optimiser.stem.weight.first_moment",
                                                            "optimiser.stem.weight.second_moment",
                                                            "optimiser.stem.weight.steps"});
}

TEST_CASE("a gradient that is not finite changes neither parameters nor state, and is counted") {
  for (const EntryInfo& info : optimiser_infos())
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      CAPTURE(info.name);
      CAPTURE(bad);
      std::vector<NamedTensor> named = parameters();
      const auto optimiser = make_optimiser({.name = info.name}, named);
      set_gradients(named, 0);
      optimiser->step(0.01, kOne);
      std::vector<torch::Tensor> before;
      for (const NamedTensor& parameter : named) before.push_back(parameter.value.detach().clone());
      for (const auto& [name, tensor] : optimiser->state()) before.push_back(tensor.clone());

      set_gradients(named, 1);
      named[1].value.mutable_grad().flatten()[3] = bad;
      CHECK(!std::isfinite(optimiser->step(0.01, kOne).item<double>()));
      CHECK(optimiser->skipped().item<double>() == 1);
      std::size_t i = 0;
      for (const NamedTensor& parameter : named)
        CHECK(torch::equal(parameter.value.detach(), before[i++]));
      for (const auto& [name, tensor] : optimiser->state())
        CHECK(torch::equal(tensor, before[i++]));
    }
}

TEST_CASE("a parameter without gradient keeps value and state, decay or not") {
  for (const EntryInfo& info : optimiser_infos()) {
    CAPTURE(info.name);
    std::vector<NamedTensor> named = parameters();
    const auto optimiser = make_optimiser({.name = info.name, .weight_decay = 0.1}, named);
    set_gradients(named, 0);
    named[0].value.mutable_grad() = torch::Tensor();
    const torch::Tensor before = named[0].value.detach().clone(),
                        trained = named[1].value.detach().clone();
    optimiser->step(0.01, kOne);
    CHECK(torch::equal(named[0].value.detach(), before));
    CHECK(distance(named[1].value, trained) > 0);
    for (const auto& [name, tensor] : optimiser->state())
      if (name.starts_with("optimiser.weight.")) CHECK(tensor.abs().max().item<double>() == 0);
  }
}

TEST_CASE("without any gradient a step does nothing") {
  std::vector<NamedTensor> named = parameters();
  const auto optimiser = make_optimiser({}, named);
  CHECK(optimiser->step(0.1, kOne).item<double>() == 0);
  CHECK(torch::equal(named[0].value.detach(), parameters()[0].value.detach()));
}

TEST_CASE("clearing drops the gradients") {
  std::vector<NamedTensor> named = parameters();
  const auto optimiser = make_optimiser({}, named);
  set_gradients(named, 0);
  optimiser->clear_gradients();
  for (const NamedTensor& parameter : named) CHECK(!parameter.value.grad().defined());
}

TEST_CASE("zeroing fills existing gradients in place, non-finite ones too, and creates none") {
  std::vector<NamedTensor> named = parameters();
  const auto optimiser = make_optimiser({}, named);
  set_gradients(named, 0);
  named[0].value.mutable_grad().fill_(std::numeric_limits<float>::quiet_NaN());
  named[2].value.mutable_grad() = torch::Tensor();
  const void* const place = named[0].value.grad().data_ptr();
  optimiser->zero_gradients();
  CHECK(named[0].value.grad().data_ptr() == place);
  CHECK(named[0].value.grad().abs().max().item<double>() == 0);
  CHECK(named[1].value.grad().abs().max().item<double>() == 0);
  CHECK(!named[2].value.grad().defined());
}

TEST_CASE("clipping scales all gradients together to the largest norm") {
  // gradients (3, 0) and (0, 4): norm 5; scaled by 2: 10; clipped to 1: (0.6, 0) and (0, 0.8)
  std::vector<NamedTensor> named{{"a", torch::zeros({2}).requires_grad_()},
                                 {"b", torch::zeros({2, 1}).requires_grad_()}};
  named[0].value.mutable_grad() = torch::tensor({3.0f, 0.0f});
  named[1].value.mutable_grad() = torch::tensor({0.0f, 4.0f}).view({2, 1});
  const auto optimiser =
      make_optimiser({.name = "sgd", .momentum = 0, .weight_decay = 0, .clip_norm = 1}, named);
  CHECK(optimiser->step(1, torch::full({}, 2.0)).item<double>() == doctest::Approx(10));
  CHECK(distance(named[0].value, torch::tensor({-0.6f, 0.0f})) < 1e-6);
  CHECK(distance(named[1].value, torch::tensor({0.0f, -0.8f}).view({2, 1})) < 1e-6);
}

TEST_CASE("a state that does not fit is named and changes nothing") {
  const auto optimiser = make_optimiser(
      {.name = "adam"}, {{"a.weight", torch::ones({2, 2})}, {"b.weight", torch::ones({3, 2})}});
  auto kept = make_optimiser({.name = "adam"}, {{"a.weight", torch::ones({2, 2})}})->state();
  for (auto& [name, tensor] : kept) tensor = tensor + 7;
  CHECK_THROWS_WITH_AS(optimiser->load_state(kept),
                       "checkpoint lacks optimiser.b.weight.first_moment, which optimiser adam "
                       "needs to go on; was it trained with another "
                       "one, or is it a `best` file, which has no state?",
                       Error);
  kept = optimiser->state();
  kept["optimiser.b.weight.second_moment"] = torch::ones({2, 3});
  CHECK_THROWS_WITH_AS(
      optimiser->load_state(kept),
      "optimiser.b.weight.second_moment: the checkpoint has shape [2, 3], the model needs [3, 2]",
      Error);
  for (const auto& [name, tensor] : optimiser->state())
    CHECK(tensor.abs().max().item<double>() == 0);
}

TEST_CASE("wrong options and parameters are named with their limits") {
  CHECK_NOTHROW(validate(OptimiserOptions{}));
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.name = "adamx"}),
                       doctest::Contains("unknown optimiser 'adamx'; did you mean 'adam"), Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.momentum = 1}),
                       "optimiser: momentum is 1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.beta1 = -0.5}),
                       "optimiser: beta1 is -0.5, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.beta2 = 2}),
                       "optimiser: beta2 is 2, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.epsilon = 0}),
                       "optimiser: epsilon is 0, must be over 0 and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.weight_decay = -1}),
                       "optimiser: weight_decay is -1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(OptimiserOptions{.clip_norm = -1}),
                       "optimiser: clip_norm is -1, must be 0 (no clipping) or more, finite",
                       Error);
  CHECK_THROWS_WITH_AS(make_optimiser({}, {}),
                       "optimiser: there is no parameter to train; is everything frozen?", Error);
  CHECK_THROWS_WITH_AS(make_optimiser({}, {{"a", torch::ones({1})}, {"a", torch::ones({1})}}),
                       "optimiser: two parameters are named a", Error);
  CHECK_THROWS_WITH_AS(
      make_optimiser({}, {{"a", torch::ones({1})}, {"b", torch::ones({1}, torch::kDouble)}}),
      "optimiser: b is not float32 on the device of a", Error);
}
