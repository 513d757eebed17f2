#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

constexpr double kSigma = 0.5;  // the paper's choice

/// Soft-NMS with the Gaussian penalty, arXiv:1704.04503, section 3: score times exp(-overlap^2 /
/// sigma).
torch::Tensor soft_factor(const torch::Tensor& best, const torch::Tensor& boxes, double) {
  return (-intersection_over_union(best, boxes).nan_to_num(0).square() / kSigma).exp();
}

}  // namespace

extern constinit const SuppressionEntry soft_suppression{
    "soft",
    "per class, lowers scores by the overlap instead of dropping boxes (Gaussian, sigma 0.5); "
    "--iou does not matter",
    false, soft_factor};

}  // namespace letterpress
