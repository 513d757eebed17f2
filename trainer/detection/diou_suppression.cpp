#include <algorithm>

#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

/// DIoU-NMS, arXiv:1911.08287, section 4.3: the overlap less the squared distance of the centres
/// over the squared diagonal of the box around both, so that neighbours with distant centres stay.
double diou_factor(const Extent& best, const Extent& box, double overlap) {
  const auto square = [](double x) { return x * x; };
  const double distance = square((best.x1 + best.x2) / 2 - (box.x1 + box.x2) / 2) +
                          square((best.y1 + best.y2) / 2 - (box.y1 + box.y2) / 2);
  const double diagonal = square(std::max(best.x2, box.x2) - std::min(best.x1, box.x1)) +
                          square(std::max(best.y2, box.y2) - std::min(best.y1, box.y1));
  return iou(best, box) - distance / diagonal > overlap ? 0 : 1;
}

}  // namespace

extern constinit const SuppressionEntry diou_suppression{
    "diou",
    "greedy per class by overlap less the distance of the centres: neighbours in a crowd stay",
    false, diou_factor};

}  // namespace letterpress
