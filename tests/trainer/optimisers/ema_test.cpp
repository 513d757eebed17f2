#include "trainer/optimisers/ema.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

double value(const torch::Tensor& tensor) { return tensor.flatten()[0].item<double>(); }

}  // namespace

TEST_CASE("the decay rises from nearly none to its limit") {
  // (1 + n) / (10 + n): 2/11, 3/12; 0.9 is reached at n = 80
  const EmaOptions options{.decay = 0.9, .ramp = 10};
  CHECK(decay_at(options, 1) == doctest::Approx(2.0 / 11));
  CHECK(decay_at(options, 2) == doctest::Approx(0.25));
  CHECK(decay_at(options, 79) < 0.9);
  CHECK(decay_at(options, 80) == doctest::Approx(0.9));
  CHECK(decay_at(options, 1000000) == 0.9);
  CHECK(decay_at({.decay = 0.5, .ramp = 1}, 1) == 0.5);
}

TEST_CASE("the average follows the live values by the formula") {
  torch::Tensor live = torch::full({2}, 4.0f).requires_grad_(), statistics = torch::full({3}, 1.0f);
  WeightEma ema({{"a.weight", live}, {"statistics", statistics}}, {.decay = 0.5, .ramp = 1});
  CHECK(value(ema.averages()[0].value) == 4);
  {
    torch::NoGradGuard no_gradient;
    live.fill_(8);
    statistics.fill_(3);
  }
  ema.update();  // 0.5 * 4 + 0.5 * 8 = 6; 0.5 * 1 + 0.5 * 3 = 2
  CHECK(value(ema.averages()[0].value) == 6);
  CHECK(value(ema.averages()[1].value) == 2);
  ema.update();  // 7 and 2.5
  CHECK(value(ema.averages()[0].value) == 7);
  CHECK(value(ema.averages()[1].value) == 2.5);
  CHECK(ema.updates() == 2);
  CHECK(ema.averages()[1].name == "statistics");
  CHECK(value(live) == 8);
}

TEST_CASE(
    "while the average is in use, every view of the live tensor sees it; afterwards the live "
    "values are back") {
  torch::Tensor flat = torch::tensor({1.0f, 2.0f, 3.0f, 4.0f});
  const torch::Tensor view = flat.narrow(0, 2, 2);
  torch::Tensor kernel = torch::arange(16, torch::kFloat)
                             .view({2, 2, 2, 2})
                             .contiguous(torch::MemoryFormat::ChannelsLast);
  WeightEma ema({{"statistics", flat}, {"kernel", kernel}}, {.decay = 0.5, .ramp = 1});
  flat.add_(2);
  kernel.mul_(3);
  ema.update();
  {
    const UseEma use(ema);
    CHECK(ema.swapped());
    CHECK(torch::equal(view, torch::tensor({4.0f, 5.0f})));
    CHECK(torch::equal(kernel, torch::arange(16, torch::kFloat).view({2, 2, 2, 2}) * 2));
    CHECK_THROWS_WITH_AS(ema.update(), "EMA: update() while the averages are swapped in", Error);
  }
  CHECK(!ema.swapped());
  CHECK(torch::equal(view, torch::tensor({5.0f, 6.0f})));
  CHECK(torch::equal(ema.averages()[0].value, torch::tensor({2.0f, 3.0f, 4.0f, 5.0f})));
}

TEST_CASE("a resumed average continues with the same bits") {
  const auto advance = [](torch::Tensor& live, int step) { live.mul_(0.9).add_(0.01 * step); };
  torch::Tensor whole = torch::linspace(-1, 1, 7), cut = whole.clone();
  WeightEma one({{"a", whole}}, {});
  auto other = std::make_unique<WeightEma>(std::vector<NamedTensor>{{"a", cut}}, EmaOptions{});
  for (int step = 0; step < 8; ++step) {
    if (step == 4) {  // the checkpoint: averaged and raw values
      const torch::Tensor raw = cut.clone(), averaged = other->averages()[0].value.clone();
      const std::int64_t updates = other->updates();
      cut = averaged.clone();
      other =
          std::make_unique<WeightEma>(std::vector<NamedTensor>{{"a", cut}}, EmaOptions{}, updates);
      cut.copy_(raw);
    }
    advance(whole, step);
    advance(cut, step);
    one.update();
    other->update();
  }
  CHECK(torch::equal(one.averages()[0].value, other->averages()[0].value));
}

TEST_CASE("wrong options of the average are named") {
  CHECK_THROWS_WITH_AS(validate(EmaOptions{.decay = 1}),
                       "EMA: decay is 1, must be 0 or more and under 1", Error);
  CHECK_THROWS_WITH_AS(validate(EmaOptions{.ramp = 0.5}), "EMA: ramp is 0.5, must be 1 or more",
                       Error);
  CHECK_THROWS_AS(WeightEma({}, {.decay = -1}), Error);
}
