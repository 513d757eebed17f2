#pragma once
#include <torch/types.h>

namespace letterpress {

/// Complete IoU, arXiv:1911.08287, equations 9 to 11: IoU, less the squared distance of the centres
/// over the squared diagonal of the box around both, less the difference of the aspects. From -1.5
/// to 1.
///   a, b  float [..., 4] x1 y1 x2 y2, of shapes that broadcast except in the last dimension
/// Finite for boxes without width or height. Gradients flow to both, but not through the weight of
/// the aspect term (as in the paper).
torch::Tensor complete_iou(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace letterpress
