#include "trainer/optimisers/gradient_scaler.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> scales_after(GradientScaler& scaler, const std::vector<double>& norms) {
  std::vector<double> scales;
  for (const double norm : norms) {
    scaler.update(torch::full({}, norm, torch::kFloat));
    scales.push_back(scaler.scale().item<double>());
  }
  return scales;
}

}  // namespace

TEST_CASE("the scale doubles after so many good steps in a row, and halves after each broken one") {
  GradientScaler scaler(torch::kCPU, {.start = 8, .growth_steps = 3});
  CHECK(scaler.scale().item<double>() == 8);
  CHECK(scales_after(scaler, {1, 0, 5}) == std::vector<double>{8, 8, 16});
  CHECK(scales_after(scaler, {1, 1, kInfinity}) == std::vector<double>{16, 16, 8});
  CHECK(scales_after(scaler, {1, 1, kNan, kNan}) == std::vector<double>{8, 8, 4, 2});
  CHECK(scales_after(scaler, {1, 1, 1, 1, 1, 1}) == std::vector<double>{2, 2, 4, 4, 4, 8});
}

TEST_CASE("by default it begins at 65536 and doubles after 2000 good steps") {
  GradientScaler scaler(torch::kCPU);
  CHECK(scales_after(scaler, std::vector<double>(1999, 1)).back() == 65536);
  CHECK(scales_after(scaler, {1}).back() == 131072);
}

TEST_CASE("a scaler continues from its state; without one it stays as it is") {
  GradientScaler straight(torch::kCPU, {.start = 8, .growth_steps = 3}),
      resumed(torch::kCPU, {.start = 1, .growth_steps = 3});
  scales_after(straight, {1, 1, kInfinity, 1, 1});
  std::map<std::string, torch::Tensor> state;
  for (const auto& [name, tensor] : straight.state()) state[name] = tensor.clone();
  CHECK(state.size() == 2);
  resumed.load_state({});
  CHECK(resumed.scale().item<double>() == 1);
  resumed.load_state(state);
  CHECK(scales_after(resumed, {1, 1, 1, 1}) == scales_after(straight, {1, 1, 1, 1}));
}

TEST_CASE("nothing in the scaler waits for the device") {
  GradientScaler scaler(torch::kCPU);
  const torch::Tensor norm = torch::ones({});
  CHECK(waiting_operators([&] { scaler.update(norm); }).empty());
}
