#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

double class_factor(const CornerBox& best, const CornerBox& box, double overlap) {
  return intersection_over_union(best, box) > overlap ? 0 : 1;
}

}  // namespace

extern constinit const SuppressionEntry class_suppression{"class", "greedy, each class for itself",
                                                          false, class_factor};

}  // namespace letterpress
