#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

double agnostic_factor(const Extent& best, const Extent& box, double overlap) {
  return iou(best, box) > overlap ? 0 : 1;
}

}  // namespace

extern constinit const SuppressionEntry agnostic_suppression{
    "agnostic", "greedy over all classes: one thing is of one class", true, agnostic_factor};

}  // namespace letterpress
