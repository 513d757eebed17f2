#include "trainer/augment/padded_boxes.h"

namespace letterpress {

PaddedBoxes largest(const PaddedBoxes& boxes, std::int64_t n) {
  const torch::Tensor size = boxes.boxes.narrow(2, 2, 2) - boxes.boxes.narrow(2, 0, 2);
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

Batch with_rows(const Batch& batch, const torch::Tensor& chosen, const torch::Tensor& images,
                const PaddedBoxes& boxes) {
  Batch result = batch;
  result.images = torch::where(chosen.view({-1, 1, 1, 1}), images, batch.images);
  result.boxes = torch::where(chosen.view({-1, 1, 1}), boxes.boxes, batch.boxes);
  result.flags = torch::where(chosen.view({-1, 1}), boxes.flags, batch.flags);
  return result;
}

}  // namespace letterpress
