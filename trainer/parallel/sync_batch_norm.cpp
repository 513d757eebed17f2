#include "trainer/parallel/sync_batch_norm.h"

#include <torch/csrc/autograd/custom_function.h>

#include <utility>
#include <vector>

namespace letterpress {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The dimensions to reduce, all but that of the channels, and the shape of one number per channel
/// beside x.
struct Layout {
  explicit Layout(const torch::Tensor& x) : one_per_channel{1, x.size(1)} {
    for (std::int64_t dim = 2; dim < x.dim(); ++dim) {
      reduced.push_back(dim);
      one_per_channel.push_back(1);
    }
  }
  std::vector<std::int64_t> reduced{0}, one_per_channel;
};

torch::Tensor values_of(const torch::Tensor& x) {
  return x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
}

/// Of the pictures of all ranks, float64 [channels]; count [1].
struct Moments {
  torch::Tensor mean, var, count;
};

// Sums of values and squares in float64, where the mean's square takes nothing from the variance:
// so one all-reduce is enough. Each rank's own variance is about its own mean, by one kernel that
// keeps nothing of the size of the values.
Moments moments_of_ranks(RankGroup& group, const torch::Tensor& values, const Layout& layout) {
  const std::int64_t channels = values.size(1);
  const auto [own_var, own_mean] = at::var_mean(values, layout.reduced, /*unbiased=*/false);
  const torch::Tensor mean = own_mean.to(torch::kDouble);
  const torch::Tensor mean_square = own_var.to(torch::kDouble) + mean.square();
  const auto n = static_cast<double>(values.numel() / channels);
  torch::Tensor sums = torch::cat({mean * n, mean_square * n, torch::full({1}, n, mean.options())});
  group.start_all_reduce_within(sums)();
  const torch::Tensor count = sums.narrow(0, 2 * channels, 1),
                      all_mean = sums.narrow(0, 0, channels) / count;
  return {all_mean, (sums.narrow(0, channels, channels) / count - all_mean.square()).clamp_min(0),
          count};
}

void update_statistics(const NormTensors& norm, const Moments& moments) {
  const torch::Tensor unbiased = moments.var * moments.count / (moments.count - 1).clamp_min(1);
  norm.mean.lerp_(moments.mean.to(norm.mean.scalar_type()), norm.momentum);
  norm.var.lerp_(unbiased.to(norm.var.scalar_type()), norm.momentum);
}

/// Batch norm over all ranks, arXiv:1502.03167: an all-reduce of the moments on the way forward,
/// one of what the gradients of mean and variance come to on the way back.
class SyncBatchNorm : public torch::autograd::Function<SyncBatchNorm> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const NormTensors& norm, std::int64_t group) {
    const Layout layout(x);
    const torch::Tensor values = values_of(x);
    const Moments moments = moments_of_ranks(*reinterpret_cast<RankGroup*>(group), values, layout);
    update_statistics(norm, moments);
    const torch::Tensor mean = moments.mean.to(values.scalar_type());
    const torch::Tensor scale =
        (moments.var + norm.epsilon).rsqrt().to(values.scalar_type());  // 1 / deviation
    context->saved_data["group"] = group;
    context->save_for_backward({x, weight, mean, scale, moments.count});
    const torch::Tensor centred = values - mean.view(layout.one_per_channel);
    return torch::addcmul(bias.view(layout.one_per_channel), centred,
                          (weight * scale).view(layout.one_per_channel))
        .to(x.scalar_type());
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3];
    const Layout layout(x);
    const torch::Tensor gradient = values_of(gradients.front());
    const torch::Tensor centred = values_of(x) - mean.view(layout.one_per_channel);
    const torch::Tensor sum = gradient.sum(layout.reduced),
                        along = (gradient * centred).sum(layout.reduced);
    torch::Tensor sums = torch::cat({sum, along});
    auto* const group = reinterpret_cast<RankGroup*>(context->saved_data["group"].toInt());
    const RankGroup::Wait sums_ready = group->start_all_reduce_within(sums);
    // What needs only this rank's, while the others' are on their way; GradientAllReduce sums it.
    const torch::Tensor weight_gradient = along * scale, factor = weight * scale;
    const torch::Tensor direct = gradient * factor.view(layout.one_per_channel);
    sums_ready();
    const torch::Tensor share = factor / saved[4].to(factor.scalar_type());
    const std::int64_t channels = x.size(1);
    const torch::Tensor by_mean = sums.narrow(0, 0, channels) * share,
                        by_var = sums.narrow(0, channels, channels) * scale.square() * share;
    const torch::Tensor input_gradient = direct - by_mean.view(layout.one_per_channel) -
                                         centred * by_var.view(layout.one_per_channel);
    return {input_gradient.to(x.scalar_type()), weight_gradient, sum, {}, {}};
  }
};

}  // namespace

torch::Tensor sync_batch_norm(RankGroup& group, const torch::Tensor& x, const NormTensors& norm) {
  // Autograd keeps numbers, not pointers.
  return SyncBatchNorm::apply(x, norm.weight, norm.bias, norm,
                              reinterpret_cast<std::int64_t>(&group));
}

}  // namespace letterpress
