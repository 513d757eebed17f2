#include "trainer/loader/pixel_kernels.h"

namespace letterpress {

bool runs_here(const PixelKernels& kernels) noexcept {
  if (&kernels == &kPixelAvx512) return __builtin_cpu_supports("avx512f");
  return &kernels != &kPixelAvx2 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}

const PixelKernels& pixel_kernels() noexcept {
  static const PixelKernels& fastest = runs_here(kPixelAvx512) ? kPixelAvx512 : runs_here(kPixelAvx2) ? kPixelAvx2 : kPixelBaseline;
  return fastest;
}

}  // namespace letterpress
