#include "trainer/device/normalise.h"

namespace letterpress {

void normalise(const torch::Tensor& packed, torch::Tensor& images) {
  const torch::Tensor planes = packed.permute({0, 3, 1, 2});
  if (packed.is_cuda()) {
    torch::mul_out(images, planes, torch::scalar_tensor(1.0 / 255, torch::kFloat));
    return;
  }
  // On CPUs two plain passes are faster than one of mixed types. 255 is exact in bfloat16, 1 / 255
  // is not.
  images.copy_(planes);
  images.div_(255);
}

}  // namespace letterpress
