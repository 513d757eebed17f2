#include "trainer/optimisers/gradient_scaler.h"

namespace letterpress {

GradientScaler::GradientScaler(torch::Device device, const GradientScalerOptions& options)
    : options_(options),
      scale_(torch::full({}, options.start, torch::TensorOptions(torch::kFloat).device(device))),
      good_steps_(torch::zeros({}, torch::TensorOptions(torch::kInt).device(device))) {}

void GradientScaler::update(const torch::Tensor& norm) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor broken = norm.isfinite().logical_not().to(torch::kFloat);
  at::_amp_update_scale_(scale_, good_steps_, broken, options_.growth, options_.backoff,
                         options_.growth_steps);
}

std::map<std::string, torch::Tensor> GradientScaler::state() const {
  return {{"optimiser.scaler.scale", scale_}, {"optimiser.scaler.good_steps", good_steps_}};
}

void GradientScaler::load_state(const std::map<std::string, torch::Tensor>& tensors) {
  const torch::NoGradGuard no_gradient;
  for (auto& [name, own] : state()) {
    const auto found = tensors.find(name);
    if (found != tensors.end()) own.copy_(found->second);
  }
}

}  // namespace letterpress
