#include "trainer/parallel/gradient_all_reduce.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <utility>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

/// Of a parameter's place in its bucket: kernels read and write 16 bytes at once where they may.
constexpr std::int64_t kAlignment = 16;

std::int64_t aligned_size(const torch::Tensor& parameter) {
  const std::int64_t step = kAlignment / parameter.element_size();
  return (parameter.numel() + step - 1) / step * step;
}

/// Calls back when the gradient of a parameter is complete.
class ReadyHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit ReadyHook(std::function<void()> ready) : ready_(std::move(ready)) {}
  void operator()(const torch::autograd::Variable&) override { ready_(); }

 private:
  std::function<void()> ready_;
};

}  // namespace

struct GradientAllReduce::State {
  struct Bucket {
    torch::Tensor flat;
    std::vector<std::size_t> parameters;
    std::size_t missing = 0;
    RankGroup::Wait wait;
  };

  struct Parameter {
    std::string name;
    torch::Tensor value;
    torch::Tensor sum;  ///< its slice of the bucket, in the parameter's layout
    std::size_t bucket = 0;
    bool ready = false;
  };

  RankGroup& ranks;
  std::vector<NamedTensor> all;  ///< the frozen ones, too
  std::int64_t bucket_bytes;
  std::vector<Parameter> parameters;  ///< the trainable ones
  std::vector<Bucket> buckets;        ///< in the order in which they start
  std::size_t next = 0;               ///< bucket to start
  bool open = false;                  ///< between begin() and finish()

  ~State() { remove_hooks(); }

  void remove_hooks() {
    for (Parameter& parameter : parameters)
      torch::autograd::impl::set_post_acc_grad_hooks(parameter.value, nullptr);
  }

  bool trains_as_before() const {
    std::size_t i = 0;
    for (const NamedTensor& parameter : all) {
      if (!parameter.value.requires_grad()) continue;
      if (i >= parameters.size() || parameters[parameters.size() - 1 - i].name != parameter.name)
        return false;
      ++i;
    }
    return i == parameters.size();
  }

  /// From the last layer to the first, as backward goes. The first bucket is small, so that it
  /// starts early.
  void lay_buckets() {
    remove_hooks();
    parameters.clear();
    buckets.clear();
    for (const NamedTensor& parameter : all) {
      if (parameter.value.requires_grad())
        parameters.push_back({parameter.name, parameter.value, {}, 0, false});
    }
    std::reverse(parameters.begin(), parameters.end());
    std::int64_t room = 0;
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto bytes = static_cast<std::int64_t>(parameters[i].value.nbytes());
      if (bytes > room) {
        room = std::max(
            bytes, buckets.empty() ? std::min(bucket_bytes, std::int64_t{1} << 20) : bucket_bytes);
        buckets.emplace_back();
        sizes.push_back(0);
      }
      room -= bytes;
      parameters[i].bucket = buckets.size() - 1;
      buckets.back().parameters.push_back(i);
      sizes.back() += aligned_size(parameters[i].value);
    }
    for (std::size_t b = 0; b < buckets.size(); ++b) cut(buckets[b], sizes[b]);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      torch::autograd::impl::set_post_acc_grad_hooks(
          parameters[i].value, std::make_unique<ReadyHook>([this, i] { ready(i); }));
  }

  void cut(Bucket& bucket, std::int64_t size) {
    bucket.flat = torch::zeros(
        {size}, parameters[bucket.parameters.front()].value.options().requires_grad(false));
    std::int64_t first = 0;
    for (const std::size_t i : bucket.parameters) {
      const torch::Tensor& value = parameters[i].value;
      parameters[i].sum = bucket.flat.as_strided(value.sizes(), value.strides(), first);
      first += aligned_size(value);
    }
  }

  void ready(std::size_t i) {
    if (!open) return;  // a micro-batch that is not the step's last
    parameters[i].ready = true;
    --buckets[parameters[i].bucket].missing;
    // All ranks must start the same all-reduces in the same order.
    for (; next < buckets.size() && buckets[next].missing == 0; ++next) start(buckets[next]);
  }

  // One copy for all gradients of the bucket: on CUDA that is one kernel, or a few.
  void start(Bucket& bucket) {
    const torch::NoGradGuard no_gradient;
    std::vector<torch::Tensor> sums, gradients;
    for (const std::size_t i : bucket.parameters) {
      sums.push_back(parameters[i].sum);
      gradients.push_back(parameters[i].value.grad());
    }
    at::_foreach_copy_(sums, gradients);
    bucket.wait = ranks.start_all_reduce(bucket.flat);
  }

  void finish() {
    open = false;
    if (next < buckets.size()) {
      const auto none = std::find_if(parameters.begin(), parameters.end(),
                                     [](const Parameter& parameter) { return !parameter.ready; });
      throw Error({.where = "gradients",
                   .what = none->name + " got none in this step",
                   .fix = "every trainable parameter must take part in the loss, else freeze it"},
                  Exit::bug);
    }
    for (Bucket& bucket : buckets) std::exchange(bucket.wait, nullptr)();
    for (Parameter& parameter : parameters) parameter.value.mutable_grad() = parameter.sum;
  }
};

GradientAllReduce::GradientAllReduce(RankGroup& ranks, std::vector<NamedTensor> parameters,
                                     std::int64_t bucket_bytes)
    : state_(new State{ranks, std::move(parameters), bucket_bytes, {}, {}, 0, false}) {}
GradientAllReduce::~GradientAllReduce() = default;

void GradientAllReduce::begin() {
  if (!state_->trains_as_before()) state_->lay_buckets();
  for (State::Bucket& bucket : state_->buckets) bucket.missing = bucket.parameters.size();
  for (State::Parameter& parameter : state_->parameters) parameter.ready = false;
  state_->next = 0;
  state_->open = true;
}

void GradientAllReduce::finish() { state_->finish(); }

}  // namespace letterpress
