#include "trainer/losses/sample_losses.h"

namespace letterpress {
namespace {

torch::Tensor row_of(const torch::Tensor& tensor, std::int64_t sample) {
  return tensor.defined() ? tensor.narrow(0, sample, 1) : tensor;
}

}  // namespace

torch::Tensor sample_losses(const Loss& loss, const std::vector<torch::Tensor>& outputs,
                            const Batch& batch) {
  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> samples;
  for (std::int64_t sample = 0; sample < batch.weight.size(0); ++sample) {
    std::vector<torch::Tensor> own;
    for (const torch::Tensor& output : outputs) own.push_back(row_of(output, sample));
    const Batch alone{.images = row_of(batch.images, sample),
                      .boxes = row_of(batch.boxes, sample),
                      .flags = row_of(batch.flags, sample),
                      .label = row_of(batch.label, sample),
                      .weight = row_of(batch.weight, sample),
                      .rows = {}};
    samples.push_back(torch::stack(loss(own, alone).terms));
  }
  return torch::stack(samples);
}

}  // namespace letterpress
