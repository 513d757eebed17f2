#include "trainer/optimisers/registry.h"

namespace letterpress {
namespace {

std::vector<Slot> adam_slots(const OptimiserOptions&) {
  return {{"first_moment", false}, {"second_moment", false}, {"steps", true}};
}

using FusedAdam = decltype(&at::_ops::_fused_adam__tensor_lr::call);

template <FusedAdam kernel>
void update(const OptimiserOptions& options, const UpdateGroup& group, const torch::Tensor& lr,
            const torch::Tensor& broken) {
  // The kernel corrects the moments' bias with the number of this step; a skipped step does not
  // count.
  at::_foreach_add_(group.slots[2], 1 - broken);
  kernel(group.parameters, group.gradients, group.slots[0], group.slots[1], {}, group.slots[2], lr,
         options.beta1, options.beta2, group.weight_decay, options.epsilon, /*amsgrad=*/false,
         /*maximize=*/false, {}, broken);
}

}  // namespace

extern const OptimiserEntry adam_optimiser{
    "adam", "Adam, arXiv:1412.6980, weight decay in the gradient", adam_slots,
    update<&at::_ops::_fused_adam__tensor_lr::call>};
extern const OptimiserEntry adamw_optimiser{
    "adamw", "Adam with decoupled weight decay, arXiv:1711.05101", adam_slots,
    update<&at::_ops::_fused_adamw__tensor_lr::call>};

}  // namespace letterpress
