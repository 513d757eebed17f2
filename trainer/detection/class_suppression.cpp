#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

double class_factor(const Extent& best, const Extent& box, double overlap) {
  return iou(best, box) > overlap ? 0 : 1;
}

}  // namespace

extern constinit const SuppressionEntry class_suppression{"class", "greedy, each class for itself",
                                                          false, class_factor};

}  // namespace letterpress
