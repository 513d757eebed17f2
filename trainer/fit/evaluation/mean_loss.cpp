#include "trainer/fit/evaluation/mean_loss.h"

#include <algorithm>

#include "trainer/augment/resize.h"

namespace letterpress {

std::optional<double> mean_loss(Network& network, const Loss& loss, const SnapshotReader& reader,
                                const std::vector<RowPlace>& rows, const EvaluateOptions& options) {
  std::vector<PictureRows> pictures;
  for (const RowPlace& row : rows) pictures.push_back({.clean = row});
  double sum = 0, normaliser = 0;
  const auto add = [&](const Batch& batch, const std::vector<RowPlace>&,
                       const std::vector<torch::Tensor>& outputs) {
    const LossValue value = loss(outputs, resized(batch, network.graph().side));
    sum += value.sum.item<double>();
    normaliser += value.normaliser.item<double>();
  };
  if (!for_each_batch(network, reader, pictures, options, add)) return std::nullopt;
  return sum / std::max(1.0, normaliser);
}

}  // namespace letterpress
