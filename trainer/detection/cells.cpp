#include "trainer/detection/cells.h"

namespace letterpress {

torch::Tensor count_from(double first, std::int64_t n, const torch::TensorOptions& options) {
  return torch::arange(n, options) + first;
}

torch::Tensor cell_centres(int stride, std::int64_t height, std::int64_t width,
                           const torch::TensorOptions& options) {
  const torch::Tensor x =
      (count_from(0.5, width, options) * stride).view({1, width}).expand({height, width});
  const torch::Tensor y =
      (count_from(0.5, height, options) * stride).view({height, 1}).expand({height, width});
  return torch::stack({x, y}, 2).reshape({-1, 2});
}

}  // namespace letterpress
