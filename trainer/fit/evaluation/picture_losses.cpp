#include "trainer/fit/evaluation/picture_losses.h"

#include <numeric>

#include "trainer/augment/resize.h"
#include "trainer/losses/sample_losses.h"

namespace letterpress {

BatchWork keep_losses(const Loss& loss, int side, const SnapshotReader& reader,
                      std::vector<PictureLoss>& losses) {
  return [&, side](const Batch& batch, const std::vector<RowPlace>& places,
                   const std::vector<torch::Tensor>& outputs) {
    const torch::Tensor terms = sample_losses(loss, outputs, resized(batch, side))
                                    .to(torch::kCPU, torch::kDouble)
                                    .contiguous();
    const auto columns = static_cast<std::size_t>(terms.size(1));
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      if (batch.rows[i] < 0) continue;
      const double* row = terms.const_data_ptr<double>() + i * columns;
      const ShardReader& shard = reader.shard(places[i].shard);
      losses[static_cast<std::size_t>(batch.rows[i])] = {
          .place = places[i],
          .terms = {row, row + columns},
          .loss = std::accumulate(row, row + columns, 0.0),
          .labels = shard.label(places[i].row) >= 0 ? 1 : shard.box_count(places[i].row)};
    }
  };
}

std::optional<std::vector<PictureLoss>> picture_losses(Network& network, const Loss& loss,
                                                       const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& pictures,
                                                       const EvaluateOptions& options) {
  std::vector<PictureLoss> losses(pictures.size());
  const BatchWork keep = keep_losses(loss, network.graph().side, reader, losses);
  if (!for_each_batch(network, reader, pictures, options, keep)) return std::nullopt;
  return losses;
}

}  // namespace letterpress
