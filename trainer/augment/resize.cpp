#include "trainer/augment/resize.h"

namespace letterpress {

torch::Tensor resize(const torch::Tensor& images, std::int64_t side) {
  if (images.size(2) == side && images.size(3) == side) return images;
  const torch::NoGradGuard no_gradient;
  // The CPU's anti-aliasing kernel does not support float16.
  const bool by_float = images.is_cpu() && images.scalar_type() != torch::kFloat;
  const torch::Tensor numbers = by_float ? images.to(torch::kFloat) : images;
  const bool shrinks = side < images.size(2);
  const torch::Tensor result =
      shrinks ? at::_upsample_bilinear2d_aa(numbers, {side, side}, /*align_corners=*/false)
              : at::upsample_bilinear2d(numbers, {side, side}, /*align_corners=*/false);
  return result.to(images.scalar_type()).contiguous(torch::MemoryFormat::ChannelsLast);
}

Batch resized(const Batch& batch, std::int64_t side) {
  const std::int64_t before = batch.images.size(3);
  if (before == side) return batch;
  Batch result = batch;
  result.images = resize(batch.images, side);
  result.boxes = batch.boxes.clone();
  result.boxes.narrow(2, 0, 4).mul_(static_cast<double>(side) / static_cast<double>(before));
  return result;
}

}  // namespace letterpress
