#include "trainer/optimisers/registry.h"

namespace letterpress {
namespace {

std::vector<Slot> sgd_slots(const OptimiserOptions& options) {
  if (options.momentum == 0) return {};
  return {{"velocity", false}};
}

// With a velocity of zero the first step is PyTorch's first step (velocity <- gradient), without a
// special case.
void update(const OptimiserOptions& options, const UpdateGroup& group, const torch::Tensor& lr,
            const torch::Tensor& broken) {
  const std::vector<torch::Tensor> velocity =
      group.slots.empty() ? std::vector<torch::Tensor>{} : group.slots[0];
  at::_fused_sgd_(group.parameters, group.gradients, velocity, group.weight_decay, options.momentum,
                  lr, /*dampening=*/0, options.nesterov && options.momentum > 0, /*maximize=*/false,
                  /*is_first_step=*/false, {}, broken);
}

}  // namespace

extern const OptimiserEntry sgd_optimiser{
    "sgd", "stochastic gradient descent with (Nesterov) momentum", sgd_slots, update};

}  // namespace letterpress
