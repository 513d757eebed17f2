#include "trainer/optimisers/optimiser.h"

#include <array>
#include <set>

#include "letterpress/base/error.h"
#include "trainer/optimisers/registry.h"

namespace letterpress {
namespace {

constexpr double kNormEpsilon = 1e-6;  // as torch.nn.utils.clip_grad_norm_

/// The fused kernels walk raw memory: a gradient or state with a layout other than its parameter's
/// would be applied to the wrong elements.
torch::Tensor in_layout_of(const torch::Tensor& parameter, const torch::Tensor& tensor) {
  if (tensor.strides() == parameter.strides()) return tensor;
  return torch::empty_like(parameter).copy_(tensor);
}

class FusedOptimiser final : public Optimiser {
 public:
  FusedOptimiser(const OptimiserOptions& options, std::vector<NamedTensor> parameters)
      : options_(options),
        entry_(find_optimiser(options.name)),
        slots_(entry_.slots(options)),
        parameters_(std::move(parameters)) {
    const torch::TensorOptions scalar = parameters_.front().value.options().requires_grad(false);
    lr_ = torch::zeros({}, scalar);
    skipped_ = torch::zeros({}, scalar);
    state_.resize(slots_.size());
    torch::NoGradGuard no_gradient;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      for (const NamedTensor& parameter : parameters_)
        state_[slot].push_back(slots_[slot].scalar ? torch::zeros({}, scalar)
                                                   : torch::zeros_like(parameter.value));
  }

  torch::Tensor step(double lr, const torch::Tensor& scale) override {
    torch::NoGradGuard no_gradient;
    std::array<UpdateGroup, 2> groups = gather();
    std::vector<torch::Tensor> gradients;
    for (const UpdateGroup& group : groups)
      gradients.insert(gradients.end(), group.gradients.begin(), group.gradients.end());
    if (gradients.empty()) return torch::zeros_like(lr_);

    const torch::Tensor norm = torch::stack(at::_foreach_norm(gradients, 2)).norm() * scale.abs();
    torch::Tensor factor = scale;
    if (options_.clip_norm > 0)
      factor = scale * (options_.clip_norm / (norm + kNormEpsilon)).clamp_max(1);
    at::_foreach_mul_(gradients, factor);

    const torch::Tensor broken = norm.isfinite().logical_not().to(torch::kFloat);
    lr_.fill_(lr);
    skipped_.add_(broken);
    for (const UpdateGroup& group : groups)
      if (!group.parameters.empty()) entry_.update(options_, group, lr_, broken);
    return norm;
  }

  void clear_gradients() override {
    for (NamedTensor& parameter : parameters_) parameter.value.mutable_grad() = torch::Tensor();
  }

  void zero_gradients() override {
    torch::NoGradGuard no_gradient;
    std::vector<torch::Tensor> gradients;
    for (const NamedTensor& parameter : parameters_) {
      if (parameter.value.grad().defined()) gradients.push_back(parameter.value.grad());
    }
    if (!gradients.empty()) at::_foreach_zero_(gradients);
  }

  torch::Tensor skipped() const override { return skipped_; }

  std::map<std::string, torch::Tensor> state() const override {
    std::map<std::string, torch::Tensor> tensors;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      for (std::size_t i = 0; i < parameters_.size(); ++i) tensors[key(slot, i)] = state_[slot][i];
    return tensors;
  }

  void load_state(const std::map<std::string, torch::Tensor>& tensors) override {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        check(tensors, key(slot, i), state_[slot][i]);
    torch::NoGradGuard no_gradient;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      for (std::size_t i = 0; i < parameters_.size(); ++i)
        state_[slot][i].copy_(tensors.at(key(slot, i)));
  }

 private:
  std::string key(std::size_t slot, std::size_t i) const {
    return "optimiser." + parameters_[i].name + "." + slots_[slot].name;
  }

  void check(const std::map<std::string, torch::Tensor>& tensors, const std::string& name,
             const torch::Tensor& wanted) const {
    const auto found = tensors.find(name);
    if (found == tensors.end())
      throw Error(
          {.what = "checkpoint lacks " + name + ", which optimiser " + options_.name +
                   " needs to go on",
           .fix = "was it trained with another one, or is it a `best` file, which has no state?"});
    if (found->second.sizes() != wanted.sizes())
      throw Error({.where = name,
                   .what = "the checkpoint has shape " + c10::str(found->second.sizes()) +
                           ", the model needs " + c10::str(wanted.sizes())});
  }

  /// Parameters with a gradient: [0] with weight decay, [1] without.
  std::array<UpdateGroup, 2> gather() {
    std::array<UpdateGroup, 2> groups;
    groups[0].weight_decay = options_.weight_decay;
    for (UpdateGroup& group : groups) group.slots.resize(slots_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      torch::Tensor& parameter = parameters_[i].value;
      if (!parameter.grad().defined()) continue;
      UpdateGroup& group = groups[parameter.dim() >= 2 ? 0 : 1];
      parameter.mutable_grad() = in_layout_of(parameter, parameter.grad());
      group.parameters.push_back(parameter);
      group.gradients.push_back(parameter.grad());
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot].scalar) state_[slot][i] = in_layout_of(parameter, state_[slot][i]);
        group.slots[slot].push_back(state_[slot][i]);
      }
    }
    return groups;
  }

  OptimiserOptions options_;
  const OptimiserEntry& entry_;
  std::vector<Slot> slots_;
  std::vector<NamedTensor> parameters_;
  std::vector<std::vector<torch::Tensor>> state_;  // [slot][parameter]
  torch::Tensor lr_, skipped_;
};

void require(const std::string& field, double got, const Limits& limits) {
  if (!limits.hold(got))
    throw Error(
        {.where = "optimiser", .what = field + " is " + c10::str(got) + ", must be " + limits.text},
        Exit::usage);
}

}  // namespace

void validate(const OptimiserOptions& options) {
  find_optimiser(options.name);
  require("momentum", options.momentum, kMomentumLimits);
  require("beta1", options.beta1, kUnderOne);
  require("beta2", options.beta2, kUnderOne);
  require("epsilon", options.epsilon,
          {"over 0 and under 1", [](double x) { return x > 0 && x < 1; }});
  require("weight_decay", options.weight_decay, kWeightDecayLimits);
  require("clip_norm", options.clip_norm, kClipLimits);
}

std::unique_ptr<Optimiser> make_optimiser(const OptimiserOptions& options,
                                          std::vector<NamedTensor> parameters) {
  validate(options);
  if (parameters.empty())
    throw Error({.where = "optimiser",
                 .what = "there is no parameter to train",
                 .fix = "is everything frozen?"},
                Exit::configuration);
  std::set<std::string> names;
  for (const NamedTensor& parameter : parameters) {
    if (!names.insert(parameter.name).second)
      throw Error({.where = "optimiser", .what = "two parameters are named " + parameter.name},
                  Exit::bug);
    if (parameter.value.scalar_type() != torch::kFloat ||
        parameter.value.device() != parameters.front().value.device())
      throw Error(
          {.where = "optimiser",
           .what = parameter.name + " is not float32 on the device of " + parameters.front().name},
          Exit::bug);
  }
  return std::make_unique<FusedOptimiser>(options, std::move(parameters));
}

}  // namespace letterpress
