#include "trainer/fit/evaluation/mean_loss.h"

#include <algorithm>

#include "trainer/augment/resize.h"
#include "trainer/parallel/rank_group.h"

namespace letterpress {

MeanLoss::MeanLoss(const Loss& loss, int side, torch::Device device)
    : loss_(loss),
      side_(side),
      totals_(torch::zeros({2}, torch::TensorOptions(torch::kDouble).device(device))) {}

BatchWork MeanLoss::work() {
  return [this](const Batch& batch, const std::vector<RowPlace>&,
                const std::vector<torch::Tensor>& outputs) {
    const LossValue value = loss_(outputs, resized(batch, side_));
    totals_ += torch::stack({value.sum, value.normaliser});
  };
}

double MeanLoss::per_picture(RankGroup* group) {
  if (group) group->start_all_reduce(totals_)();
  const torch::Tensor totals = totals_.cpu();
  return totals[0].item<double>() / std::max(1.0, totals[1].item<double>());
}

std::optional<double> mean_loss(Network& network, const Loss& loss, const SnapshotReader& reader,
                                const std::vector<RowPlace>& rows, const EvaluateOptions& options) {
  std::vector<PictureRows> pictures;
  for (const RowPlace& row : rows) pictures.push_back({.clean = row});
  MeanLoss mean(loss, network.graph().side, options.device);
  if (!for_each_batch(network, reader, pictures, options, mean.work())) return std::nullopt;
  return mean.per_picture(nullptr);
}

}  // namespace letterpress
