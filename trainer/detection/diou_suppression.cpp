#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

/// DIoU-NMS, arXiv:1911.08287, section 4.3: the overlap less the squared distance of the centres
/// over the squared diagonal of the box around both, so that neighbours with distant centres stay.
torch::Tensor diou_factor(const torch::Tensor& best, const torch::Tensor& boxes, double overlap) {
  const auto centre = [](const torch::Tensor& box) {
    return (box.narrow(0, 0, 2) + box.narrow(0, 2, 2)) / 2;
  };
  const torch::Tensor distance = (centre(best) - centre(boxes)).square().sum(0);
  const torch::Tensor first = torch::minimum(best.narrow(0, 0, 2), boxes.narrow(0, 0, 2));
  const torch::Tensor last = torch::maximum(best.narrow(0, 2, 2), boxes.narrow(0, 2, 2));
  const torch::Tensor diagonal = (last - first).square().sum(0);
  return (intersection_over_union(best, boxes) - distance / diagonal > overlap)
      .logical_not()
      .to(torch::kDouble);
}

}  // namespace

extern constinit const SuppressionEntry diou_suppression{
    "diou",
    "greedy per class by overlap less the distance of the centres: neighbours in a crowd stay",
    false, diou_factor};

}  // namespace letterpress
