#include "preprocess/augment/colour_kernels.h"

namespace letterpress {

const ColourKernels& colour_kernels() noexcept {
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  return has_avx2 ? kColourAvx2 : kColourBaseline;
}

}  // namespace letterpress
