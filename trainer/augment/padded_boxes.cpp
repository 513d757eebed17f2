#include "trainer/augment/padded_boxes.h"

#include "letterpress/base/box.h"

namespace letterpress {
namespace {

// As in recipe detect: which cut boxes stay.
constexpr double kMinSide = 2, kMinArea = 0.15;
constexpr double kCutBy = 1e-3;  // pixels that rounding may take off

/// Width and height, [B, N, 2].
torch::Tensor size_of(const torch::Tensor& corners) {
  return corners.narrow(2, 2, 2) - corners.narrow(2, 0, 2);
}

}  // namespace

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

PaddedBoxes cut_at_frame(const PaddedBoxes& boxes, double side) {
  const torch::Tensor whole = boxes.boxes.narrow(2, 0, 4), cut = whole.clamp(0, side);
  const torch::Tensor before = size_of(whole), left = size_of(cut);
  const torch::Tensor enough = left.prod(2) >= kMinArea * before.prod(2);
  const torch::Tensor is_cut = ((before - left) > kCutBy).any(2);
  return {torch::cat({cut, boxes.boxes.narrow(2, 4, 1)}, 2),
          boxes.flags.bitwise_or(is_cut.to(torch::kByte) * static_cast<int>(kCut)),
          boxes.used.logical_and((left > kMinSide).all(2)).logical_and_(enough)};
}

Batch with_rows(const Batch& batch, const torch::Tensor& chosen, const torch::Tensor& images,
                const PaddedBoxes& boxes) {
  Batch result = batch;
  result.images = torch::where(chosen.view({-1, 1, 1, 1}), images, batch.images);
  result.boxes = torch::where(chosen.view({-1, 1, 1}), boxes.boxes, batch.boxes);
  result.flags = torch::where(chosen.view({-1, 1}), boxes.flags, batch.flags);
  return result;
}

}  // namespace letterpress
