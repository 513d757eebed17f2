#include "trainer/augment/draws.h"

namespace letterpress {
namespace {

constexpr double kFlipChance = 0.5;

Batch flip(const Batch& batch, const BatchPosition& position) {
  const torch::Tensor chosen =
      choose(draw("flip", batch, position, 1).select(1, 0), position, kFlipChance);
  const auto side = static_cast<double>(batch.images.size(3));
  torch::Tensor mirrored = batch.boxes.clone();
  mirrored.select(2, 0).copy_(side - batch.boxes.select(2, 2));
  mirrored.select(2, 2).copy_(side - batch.boxes.select(2, 0));
  const torch::Tensor used = batch.boxes.select(2, 4) >= 0;
  Batch result = batch;
  result.images = torch::where(chosen.view({-1, 1, 1, 1}), batch.images.flip(3), batch.images);
  result.boxes =
      torch::where(used.logical_and(chosen.unsqueeze(1)).unsqueeze(2), mirrored, batch.boxes);
  return result;
}

}  // namespace

extern const BatchAugmentation flip_batch{"flip", "every second picture mirrored left to right",
                                          false, flip};

}  // namespace letterpress
