#include "trainer/parallel/gradient_all_reduce.h"

#include <ATen/record_function.h>
#include <doctest/doctest.h>

#include <atomic>

#include "letterpress/base/error.h"
#include "tests/trainer/parallel/ranks_in_threads.h"

using namespace letterpress;

namespace {

// y = a x + b, with one parameter that y does not need.
struct Line {
  torch::Tensor a = torch::full({2, 3}, 2.0).t().set_requires_grad(true);
  torch::Tensor b = torch::zeros({1}).set_requires_grad(true);
  torch::Tensor idle = torch::zeros({1}).set_requires_grad(true);
  std::vector<NamedTensor> parameters() const { return {{"a", a}, {"b", b}, {"idle", idle}}; }
  void clear_gradients() {
    for (const NamedTensor& parameter : parameters()) parameter.value.mutable_grad().reset();
  }
  torch::Tensor loss(double x, bool with_idle) {
    return (a * x + b).sum() + (with_idle ? idle.sum() : torch::zeros({}));
  }
};

std::atomic<int> bucket_copies{0};

std::unique_ptr<at::ObserverContext> count_copies(const at::RecordFunction& function) {
  if (std::string_view(function.name()) == "aten::_foreach_copy_") ++bucket_copies;
  return nullptr;
}

bool is_aligned(const torch::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 16 == 0;
}

}  // namespace

TEST_CASE("each gradient begins on 16 bytes, and those of a bucket are copied into it at once") {
  const auto counting = at::addGlobalCallback(
      at::RecordFunctionCallback(count_copies).scopes({at::RecordScope::FUNCTION}));
  for (const auto& [bucket_bytes, buckets] : {std::pair{1, 3}, std::pair{1 << 20, 1}}) {
    CAPTURE(buckets);
    bucket_copies = 0;
    on_ranks(2, [bytes = bucket_bytes](RankGroup* group) {
      Line line;
      GradientAllReduce sum(*group, line.parameters(), bytes);
      sum.begin();
      line.loss(group->rank() + 1, true).backward();
      sum.finish();
      CHECK(line.a.grad().equal(torch::full({3, 2}, 3.0f)));
      for (const NamedTensor& one : line.parameters()) CHECK(is_aligned(one.value.grad()));
    });
    CHECK(bucket_copies == 2 * buckets);
  }
  at::removeCallback(counting);
}

TEST_CASE(
    "gradients of micro-batches and ranks are summed, in the parameters' own layout, in one bucket "
    "or many") {
  for (const std::int64_t bucket_bytes : {1, 1 << 20}) {
    CAPTURE(bucket_bytes);
    on_ranks(3, [bucket_bytes](RankGroup* group) {
      Line line;
      GradientAllReduce sum(*group, line.parameters(), bucket_bytes);
      for (int step = 0; step < 3; ++step) {
        line.loss(group->rank() + 1, true).backward();  // alone so far
        sum.begin();
        line.loss(10 * (group->rank() + 1), true).backward();
        sum.finish();
        CHECK(line.a.grad().equal(torch::full({3, 2}, 66.0f)));  // 11 * (1 + 2 + 3)
        CHECK(line.a.grad().strides() == line.a.strides());
        CHECK(line.b.grad().item<double>() == 36);  // 6 places, 2 parts, 3 ranks
        line.clear_gradients();
      }
    });
  }
}

TEST_CASE("parameters frozen later are left out, thawed ones come back") {
  on_ranks(2, [](RankGroup* group) {
    Line line;
    GradientAllReduce sum(*group, line.parameters());
    for (const bool frozen : {false, true, false}) {
      line.a.set_requires_grad(!frozen);
      line.clear_gradients();
      sum.begin();
      line.loss(1, true).backward();
      sum.finish();
      CHECK(line.a.grad().defined() == !frozen);
      CHECK(line.b.grad().item<double>() == 12);
    }
  });
}

TEST_CASE("a parameter that gets no gradient is named: it would silently differ between ranks") {
  on_ranks(2, [](RankGroup* group) {
    Line line;
    GradientAllReduce sum(*group, line.parameters());
    sum.begin();
    line.loss(1, false).backward();
    CHECK_THROWS_WITH_AS(
        sum.finish(),
        doctest::Contains("gradients: idle got none in this step; every trainable parameter"),
        Error);
  });
}
