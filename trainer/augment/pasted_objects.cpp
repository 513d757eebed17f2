#include "trainer/augment/pasted_objects.h"

namespace letterpress {
namespace {

constexpr double kMostSide = 0.5;  // of the frame: what is larger would cover too much
constexpr double kLeastSide = 2;
constexpr std::int64_t kLeastMargin = 2, kMarginPart = 10;  // soft edge: pixels, part of the side
constexpr double kShown = 0.15;  // of an object's area, from which it is seen

/// Whether a box shows another object too, which would be pasted without a label. bool [B, N].
torch::Tensor shows_others(const torch::Tensor& boxes, const torch::Tensor& used) {
  const auto side = [&](std::int64_t low) {
    const torch::Tensor from = boxes.select(2, low), to = boxes.select(2, low + 2);
    return (torch::minimum(to.unsqueeze(2), to.unsqueeze(1)) -
            torch::maximum(from.unsqueeze(2), from.unsqueeze(1)))
        .clamp_min_(0);
  };
  const torch::Tensor area =
      ((boxes.narrow(2, 2, 2) - boxes.narrow(2, 0, 2)).prod(2)).unsqueeze(1);  // of the other
  const torch::Tensor itself =
      torch::eye(boxes.size(1), torch::TensorOptions(torch::kBool).device(boxes.device()));
  return (side(0) * side(1) >= kShown * area)
      .logical_and_(used.unsqueeze(1))
      .logical_and_(itself.logical_not().unsqueeze(0))
      .any(2);
}

}  // namespace

ObjectsToPaste objects_to_paste(const Batch& batch, const BatchPosition& position) {
  const std::int64_t rows = batch.boxes.size(0), n = batch.boxes.size(1);
  const torch::Tensor size = batch.boxes.narrow(2, 2, 2) - batch.boxes.narrow(2, 0, 2);
  const double most = kMostSide * static_cast<double>(batch.images.size(3));
  const torch::Tensor classes = batch.boxes.select(2, 4).to(torch::kLong);
  const torch::Tensor usable =
      (classes >= 0)
          .logical_and_(batch.flags == 0)
          .logical_and_((size >= kLeastSide).all(2))
          .logical_and_((size <= most).all(2))
          .logical_and_(shows_others(batch.boxes, classes >= 0).logical_not_());
  torch::Tensor weights = usable.to(torch::kLong);
  if (position.rarity.defined())
    weights =
        weights * position.rarity.index_select(0, classes.clamp_min(0).flatten()).view({rows, n});
  const torch::Tensor row = torch::arange(rows, weights.options());
  const torch::Tensor of_others =
      (row.unsqueeze(1) != row.unsqueeze(0)).unsqueeze(2) * weights.unsqueeze(0);
  // Whole numbers: the same sums in any order.
  return {batch.boxes.view({rows * n, 5}), of_others.view({rows, rows * n}).cumsum(1), n};
}

CutObject cut_object(const ObjectsToPaste& objects, const torch::Tensor& numbers) {
  const torch::Tensor total = objects.ends.select(1, objects.ends.size(1) - 1);
  const torch::Tensor point = (numbers.to(torch::kDouble) * total).to(torch::kLong);
  const torch::Tensor chosen =
      (objects.ends <= point.unsqueeze(1)).sum(1).clamp_max_(objects.ends.size(1) - 1);
  const torch::Tensor box = objects.boxes.index_select(0, chosen);
  const torch::Tensor low = box.narrow(1, 0, 2).floor().to(torch::kLong),
                      size = (box.narrow(1, 2, 2).ceil().to(torch::kLong) - low).clamp_min_(1);
  const torch::Tensor width = size.select(1, 0), height = size.select(1, 1);
  return {box,
          chosen.floor_divide(objects.places),
          low.select(1, 0),
          low.select(1, 1),
          width,
          height,
          torch::minimum(width, height).floor_divide(kMarginPart).clamp_min(kLeastMargin),
          total > 0};
}

}  // namespace letterpress
