#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

torch::Tensor class_factor(const torch::Tensor& best, const torch::Tensor& boxes, double overlap) {
  return (intersection_over_union(best, boxes) > overlap).logical_not().to(torch::kDouble);
}

}  // namespace

extern constinit const SuppressionEntry class_suppression{"class", "greedy, each class for itself",
                                                          false, class_factor};

}  // namespace letterpress
