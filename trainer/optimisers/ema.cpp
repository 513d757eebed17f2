#include "trainer/optimisers/ema.h"

#include <algorithm>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

std::vector<torch::Tensor> values_of(const std::vector<NamedTensor>& named) {
  std::vector<torch::Tensor> values;
  for (const NamedTensor& tensor : named) values.push_back(tensor.value.detach());
  return values;
}

}  // namespace

void validate(const EmaOptions& options) {
  if (!kEmaLimits.hold(options.decay))
    throw Error({.where = "EMA",
                 .what = "decay is " + c10::str(options.decay) + ", must be " + kEmaLimits.text},
                Exit::usage);
  if (!(options.ramp >= 1))
    throw Error(
        {.where = "EMA", .what = "ramp is " + c10::str(options.ramp) + ", must be 1 or more"},
        Exit::usage);
}

double decay_at(const EmaOptions& options, std::int64_t n) {
  const auto updates = static_cast<double>(n);
  return std::min(options.decay, (1 + updates) / (options.ramp + updates));
}

WeightEma::WeightEma(std::vector<NamedTensor> live, const EmaOptions& options, std::int64_t updates)
    : live_(std::move(live)), options_(options), updates_(updates) {
  validate(options);
  for (const NamedTensor& tensor : live_)
    averages_.push_back({tensor.name, tensor.value.detach().clone()});
}

void WeightEma::update() {
  if (swapped_)
    throw Error(Message{.where = "EMA", .what = "update() while the averages are swapped in"},
                Exit::bug);
  torch::NoGradGuard no_gradient;
  ++updates_;
  at::_foreach_lerp_(values_of(averages_), values_of(live_), 1 - decay_at(options_, updates_));
}

void WeightEma::swap() {
  torch::NoGradGuard no_gradient;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    torch::Tensor live = live_[i].value.detach();
    const torch::Tensor kept = live.clone();
    live.copy_(averages_[i].value);
    averages_[i].value.copy_(kept);
  }
  swapped_ = !swapped_;
}

}  // namespace letterpress
