#include "trainer/losses/assignment.h"

#include <algorithm>
#include <limits>

namespace letterpress {
namespace {

constexpr std::int64_t kOverlapElements = std::int64_t{1} << 22;

torch::Tensor sizes_of(const torch::Tensor& boxes) {
  return boxes.narrow(-1, 2, 2) - boxes.narrow(-1, 0, 2);
}

torch::Tensor area_of(const torch::Tensor& boxes) {
  const torch::Tensor size = sizes_of(boxes).clamp_min(0);
  return size.select(-1, 0) * size.select(-1, 1);
}

/// bool [B, P, m]: IoU >= ignore_iou, by products (no division by an empty union).
torch::Tensor overlaps(const torch::Tensor& boxes, const torch::Tensor& area,
                       const torch::Tensor& ground_truths, double ignore_iou) {
  const auto edge = [](const torch::Tensor& rows, std::int64_t i, std::int64_t dim) {
    return rows.select(2, i).unsqueeze(dim);
  };
  torch::Tensor width = edge(boxes, 2, 2)
                            .minimum(edge(ground_truths, 2, 1))
                            .sub_(edge(boxes, 0, 2).maximum(edge(ground_truths, 0, 1)))
                            .clamp_min_(0);
  const torch::Tensor height = edge(boxes, 3, 2)
                                   .minimum(edge(ground_truths, 3, 1))
                                   .sub_(edge(boxes, 1, 2).maximum(edge(ground_truths, 1, 1)))
                                   .clamp_min_(0);
  const torch::Tensor intersection = width.mul_(height);
  return intersection >= (area.unsqueeze(2) + area_of(ground_truths).unsqueeze(1))
                             .sub_(intersection)
                             .mul_(ignore_iou);
}

}  // namespace

torch::Tensor best_anchors(const GroundTruths& ground_truths, const torch::Tensor& anchors,
                           const torch::Tensor& used) {
  const torch::Tensor size =
      sizes_of(ground_truths.boxes).clamp_min(0).unsqueeze(2);       // [B, M, 1, 2]
  const torch::Tensor intersection = size.minimum(anchors).prod(3);  // [B, M, K]
  const torch::Tensor iou = intersection / (size.prod(3) + anchors.prod(1) - intersection);
  return iou.masked_fill(used.logical_not(), -1).argmax(2);
}

Assignment assign(const GroundTruths& ground_truths, const torch::Tensor& best_anchor,
                  const HeadGrid& grid) {
  const std::int64_t pictures = ground_truths.boxes.size(0), rows = ground_truths.boxes.size(1);
  const std::int64_t predictions = grid.height * grid.width * grid.n_anchors;
  const torch::Tensor place =
      grid.place.index_select(0, best_anchor.flatten()).view_as(best_anchor);
  const torch::Tensor object = ground_truths.objects.logical_and(place >= 0);

  const torch::Tensor centre =
      (ground_truths.boxes.narrow(2, 0, 2) + ground_truths.boxes.narrow(2, 2, 2)) /
      (2.0 * grid.stride);
  const torch::Tensor x = centre.select(2, 0).floor().clamp(0, static_cast<double>(grid.width - 1));
  const torch::Tensor y =
      centre.select(2, 1).floor().clamp(0, static_cast<double>(grid.height - 1));
  const torch::Tensor wanted =
      (y * static_cast<double>(grid.width) + x).to(torch::kLong) * grid.n_anchors + place;

  // Row m claims its prediction; the largest m wins, whatever order the device works in. Rows
  // without an object claim a spare slot.
  const torch::Tensor claim = torch::where(object, wanted, predictions);
  const torch::Tensor row = torch::arange(rows, claim.options()).expand({pictures, rows});
  const torch::Tensor owner = torch::full({pictures, predictions + 1}, -1, claim.options())
                                  .scatter_reduce(1, claim, row, "amax");

  Assignment result;
  result.positive = object.logical_and(owner.gather(1, claim) == row);
  result.prediction = torch::where(result.positive, wanted, 0);
  result.taken = owner.narrow(1, 0, predictions) >= 0;
  result.xy = (centre - torch::stack({x, y}, 2)).clamp(0, 1);
  const torch::Tensor anchor =
      grid.anchors.index_select(0, best_anchor.flatten()).view({pictures, rows, 2});
  const torch::Tensor ratio =
      torch::where(result.positive.unsqueeze(2), sizes_of(ground_truths.boxes) / anchor, 1.0);
  result.wh = ratio.clamp_min(static_cast<double>(std::numeric_limits<float>::min())).log();
  return result;
}

torch::Tensor excused(const torch::Tensor& boxes, const torch::Tensor& centres,
                      const GroundTruths& ground_truths, double ignore_iou) {
  const std::int64_t rows = ground_truths.boxes.size(1),
                     per_row = std::max<std::int64_t>(1, boxes.size(0) * boxes.size(1));
  const std::int64_t at_once = std::max<std::int64_t>(1, kOverlapElements / per_row);
  const torch::Tensor area = area_of(boxes);
  torch::Tensor result =
      torch::zeros({boxes.size(0), boxes.size(1)}, boxes.options().dtype(torch::kBool));
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t n = std::min(at_once, rows - first);
    const torch::Tensor some = ground_truths.boxes.narrow(1, first, n);
    torch::Tensor near = overlaps(boxes, area, some, ignore_iou)
                             .logical_and_(ground_truths.objects.narrow(1, first, n).unsqueeze(1));
    near.logical_or_(
        inside(centres, some).logical_and_(ground_truths.crowds.narrow(1, first, n).unsqueeze(1)));
    result.logical_or_(near.any(2));
  }
  return result;
}

}  // namespace letterpress
