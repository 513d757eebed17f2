#include "trainer/parallel/sync_batch_norm.h"

#include <ATen/record_function.h>
#include <doctest/doctest.h>

#include <atomic>

#include "tests/trainer/parallel/ranks_in_threads.h"

using namespace letterpress;

namespace {

struct Normed {
  torch::Tensor output, input_gradient, weight_gradient, bias_gradient, mean, var;
};

torch::Tensor ramp(torch::IntArrayRef shape, double first, double last) {
  return torch::linspace(first, last, c10::multiply_integers(shape), torch::kDouble).view(shape);
}

NormTensors norm_of(std::int64_t channels) {
  return {.weight = ramp({channels}, 0.5, 2).requires_grad_(),
          .bias = ramp({channels}, -1, 1).requires_grad_(),
          .mean = ramp({channels}, 0, 1),
          .var = ramp({channels}, 1, 3)};
}

/// The same function of every picture on one rank or many: a sum of cubes.
Normed normed(const torch::Tensor& x, const NormTensors& norm,
              const std::function<torch::Tensor(const torch::Tensor&)>& apply) {
  torch::Tensor input = x.clone().requires_grad_();
  const torch::Tensor output = apply(input);
  output.pow(3).sum().backward();
  return {output.detach(), input.grad(), norm.weight.grad(), norm.bias.grad(), norm.mean, norm.var};
}

bool agree(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).norm().item<double>() <= 1e-9 * b.norm().item<double>();
}

std::atomic<int> all_reduces{0};

std::unique_ptr<at::ObserverContext> count_all_reduces(const at::RecordFunction& function) {
  if (std::string_view(function.name()) == "gloo:all_reduce") ++all_reduces;
  return nullptr;
}

}  // namespace

TEST_CASE("a synchronised norm costs one all-reduce forward and one backward") {
  const auto counting = at::addGlobalCallback(
      at::RecordFunctionCallback(count_all_reduces).scopes({at::RecordScope::USER_SCOPE}));
  on_ranks(2, [](RankGroup* group) { group->all_reduce_max(0); });
  CHECK(all_reduces.exchange(0) == 2);  // they are seen
  on_ranks(2, [](RankGroup* group) {
    const torch::Tensor x = ramp({2, 4, 3, 2}, group->rank(), 3).requires_grad_();
    sync_batch_norm(*group, x, norm_of(4)).sum().backward();
  });
  CHECK(all_reduces == 2 * 2);
  at::removeCallback(counting);
}

TEST_CASE(
    "synchronised norms of 2 and 3 ranks are PyTorch's batch norm over the whole batch, gradients "
    "included, to 1e-9") {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{7, 4, 3, 2}, std::vector<std::int64_t>{7, 4}}) {
    const torch::Tensor x = ramp(shape, -3, 3).sin() * 2 + ramp(shape, 0, 1);
    const NormTensors whole = norm_of(4);
    const Normed wanted = normed(x, whole, [&](const torch::Tensor& input) {
      return at::batch_norm(input, whole.weight, whole.bias, whole.mean, whole.var, true,
                            whole.momentum, whole.epsilon, false);
    });
    for (const int ranks : {2, 3}) {
      CAPTURE(ranks);
      CAPTURE(shape.size());
      std::vector<Normed> got(static_cast<std::size_t>(ranks));
      on_ranks(ranks, [&](RankGroup* group) {
        const std::int64_t begin = 7 * group->rank() / ranks, end = 7 * (group->rank() + 1) / ranks;
        const NormTensors norm = norm_of(4);
        got[static_cast<std::size_t>(group->rank())] = normed(
            x.narrow(0, begin, end - begin), norm,
            [&](const torch::Tensor& input) { return sync_batch_norm(*group, input, norm); });
      });
      std::vector<torch::Tensor> outputs, gradients;
      torch::Tensor weight = torch::zeros({4}, torch::kDouble),
                    bias = torch::zeros({4}, torch::kDouble);
      for (const Normed& own : got) {
        outputs.push_back(own.output);
        gradients.push_back(own.input_gradient);
        weight += own.weight_gradient;
        bias += own.bias_gradient;
        CHECK(agree(own.mean, wanted.mean));
        CHECK(agree(own.var, wanted.var));
      }
      CHECK(agree(torch::cat(outputs), wanted.output));
      CHECK(agree(torch::cat(gradients), wanted.input_gradient));
      CHECK(agree(weight, wanted.weight_gradient));
      CHECK(agree(bias, wanted.bias_gradient));
    }
  }
}

TEST_CASE("the result has the type of the pictures, whatever it was computed in") {
  on_ranks(2, [](RankGroup* group) {
    const NormTensors norm{.weight = torch::ones({3}),
                           .bias = torch::zeros({3}),
                           .mean = torch::zeros({3}),
                           .var = torch::ones({3})};
    const torch::Tensor x = torch::rand({2, 3, 4, 4}).to(torch::kBFloat16);
    CHECK((sync_batch_norm(*group, x, norm).scalar_type() == torch::kBFloat16));
    CHECK((norm.mean.scalar_type() == torch::kFloat));
  });
}
