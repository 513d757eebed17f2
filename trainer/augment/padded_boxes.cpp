#include "trainer/augment/padded_boxes.h"

#include <algorithm>

#include "letterpress/base/box.h"

namespace letterpress {
namespace {

constexpr double kCutBy = 1e-3;  // pixels that rounding may take off

/// Width and height, [B, N, 2].
torch::Tensor size_of(const torch::Tensor& corners) {
  return corners.narrow(2, 2, 2) - corners.narrow(2, 0, 2);
}

}  // namespace

std::int64_t mixed_slots(std::int64_t n, std::int64_t pictures) {
  return std::max(n, std::min(n * pictures, kMostMixedBoxes));
}

PaddedBoxes largest(const PaddedBoxes& boxes, std::int64_t n) {
  const torch::Tensor size = size_of(boxes.boxes);
  const torch::Tensor area =
      (size.select(2, 0) * size.select(2, 1)).masked_fill_(boxes.used.logical_not(), -1);
  const torch::Tensor order =
      area.argsort(/*stable=*/true, /*dim=*/1, /*descending=*/true).narrow(1, 0, n);
  PaddedBoxes kept{boxes.boxes.gather(1, order.unsqueeze(2).expand({-1, -1, 5})),
                   boxes.flags.gather(1, order), boxes.used.gather(1, order)};
  const torch::Tensor unused = kept.used.logical_not();
  kept.boxes.narrow(2, 0, 4).masked_fill_(unused.unsqueeze(2), 0);
  kept.boxes.select(2, 4).masked_fill_(unused, -1);
  kept.flags.masked_fill_(unused, 0);
  return kept;
}

PaddedBoxes cut_at_frame(const PaddedBoxes& boxes, double side, const BoxRule& rule) {
  const torch::Tensor whole = boxes.boxes.narrow(2, 0, 4), cut = whole.clamp(0, side);
  const torch::Tensor before = size_of(whole), left = size_of(cut);
  const torch::Tensor enough =
      (left.prod(2) >= rule.min_area * before.prod(2))
          .logical_or_(boxes.flags.bitwise_and(static_cast<int>(kCrowd)) != 0);
  const torch::Tensor is_cut = ((before - left) > kCutBy).any(2);
  return {torch::cat({cut, boxes.boxes.narrow(2, 4, 1)}, 2),
          boxes.flags.bitwise_or(is_cut.to(torch::kByte) * static_cast<int>(kCut)),
          boxes.used.logical_and((left > rule.min_side).all(2)).logical_and_(enough)};
}

Batch with_rows(const Batch& batch, const torch::Tensor& chosen, const torch::Tensor& images,
                const PaddedBoxes& boxes) {
  Batch result = batch;
  const std::int64_t more = boxes.boxes.size(1) - batch.boxes.size(1);
  if (more > 0) {
    const auto widened = [more](const torch::Tensor& slots, double value) {
      return at::constant_pad_nd(slots, {0, 0, 0, more}, value);
    };
    result.boxes = torch::cat(
        {widened(batch.boxes.narrow(2, 0, 4), 0), widened(batch.boxes.narrow(2, 4, 1), -1)}, 2);
    result.flags = at::constant_pad_nd(batch.flags, {0, more}, 0);
  }
  result.images = torch::where(chosen.view({-1, 1, 1, 1}), images, batch.images);
  result.boxes = torch::where(chosen.view({-1, 1, 1}), boxes.boxes, result.boxes);
  result.flags = torch::where(chosen.view({-1, 1}), boxes.flags, result.flags);
  return result;
}

Batch without_idle_slots(const Batch& batch, std::int64_t least) {
  if (batch.boxes.size(1) == least || !batch.boxes.is_cpu()) return batch;
  const auto boxes = batch.boxes.accessor<float, 3>();
  std::int64_t needed = least;
  for (std::int64_t row = 0; row < boxes.size(0); ++row)
    for (std::int64_t i = needed; i < boxes.size(1); ++i)
      if (boxes[row][i][4] >= 0) needed = i + 1;
  Batch result = batch;
  result.boxes = batch.boxes.narrow(1, 0, needed).contiguous();
  result.flags = batch.flags.narrow(1, 0, needed).contiguous();
  return result;
}

}  // namespace letterpress
