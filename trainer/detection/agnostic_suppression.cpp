#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

torch::Tensor agnostic_factor(const torch::Tensor& best, const torch::Tensor& boxes,
                              double overlap) {
  return (intersection_over_union(best, boxes) > overlap).logical_not().to(torch::kDouble);
}

}  // namespace

extern constinit const SuppressionEntry agnostic_suppression{
    "agnostic", "greedy over all classes: one thing is of one class", true, agnostic_factor};

}  // namespace letterpress
