#include "trainer/parallel/sync_batch_norm.h"

#include <vector>

namespace letterpress {
namespace {

/// The sum over the ranks; so is its gradient.
class AllReduceSum : public torch::autograd::Function<AllReduceSum> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& own,
                               std::int64_t group) {
    context->saved_data["group"] = group;
    return sum(own, group);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {sum(gradients.front(), context->saved_data["group"].toInt()), {}};
  }

 private:
  static torch::Tensor sum(const torch::Tensor& own, std::int64_t group) {
    torch::Tensor all = own.clone(torch::MemoryFormat::Contiguous);
    reinterpret_cast<RankGroup*>(group)->start_all_reduce_within(all)();
    return all;
  }
};

}  // namespace

torch::Tensor sync_batch_norm(RankGroup& group, const torch::Tensor& x, const SyncedNorm& norm) {
  const auto address =
      reinterpret_cast<std::int64_t>(&group);  // autograd keeps numbers, not pointers
  const torch::Tensor values = x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
  const std::int64_t channels = x.size(1);
  std::vector<std::int64_t> others{0}, shape{1, channels};
  for (std::int64_t dim = 2; dim < x.dim(); ++dim) {
    others.push_back(dim);
    shape.push_back(1);
  }
  const torch::Tensor own_count =
      torch::full({1}, static_cast<double>(x.numel() / channels), values.options());
  const torch::Tensor sums =
      AllReduceSum::apply(torch::cat({values.sum(others), own_count}), address);
  const torch::Tensor count = sums.narrow(0, channels, 1).detach(),
                      mean = sums.narrow(0, 0, channels) / count;
  const torch::Tensor centred = values - mean.view(shape);
  const torch::Tensor squares = AllReduceSum::apply(centred.square().sum(others), address);
  {
    const torch::NoGradGuard no_gradient;
    norm.mean.lerp_(mean.detach().to(norm.mean.scalar_type()), norm.momentum);
    norm.var.lerp_((squares.detach() / (count - 1).clamp_min(1)).to(norm.var.scalar_type()),
                   norm.momentum);
  }
  const torch::Tensor scale = norm.weight * (squares / count + norm.epsilon).rsqrt();
  return (centred * scale.view(shape) + norm.bias.view(shape)).to(x.scalar_type());
}

}  // namespace letterpress
