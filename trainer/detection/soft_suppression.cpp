#include <cmath>

#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

constexpr double kSigma = 0.5;  // the paper's choice

/// Soft-NMS with the Gaussian penalty, arXiv:1704.04503, section 3: score times exp(-overlap^2 /
/// sigma).
double soft_factor(const Extent& best, const Extent& box, double) {
  const double overlap = iou(best, box);
  return std::isnan(overlap) ? 1 : std::exp(-overlap * overlap / kSigma);
}

}  // namespace

extern constinit const SuppressionEntry soft_suppression{
    "soft",
    "per class, lowers scores by the overlap instead of dropping boxes (Gaussian, sigma 0.5); "
    "--iou matters only where tiles are put together",
    false, soft_factor};

}  // namespace letterpress
