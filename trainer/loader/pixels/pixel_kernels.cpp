#include "trainer/loader/pixels/pixel_kernels.h"

#include "letterpress/base/cpu.h"

namespace letterpress {

bool runs_here(const PixelKernels& kernels) noexcept {
  if (&kernels == &kPixelAvx512) return runs_avx512();
  return &kernels != &kPixelAvx2 || (runs_avx2() && __builtin_cpu_supports("fma"));
}

const PixelKernels& pixel_kernels() noexcept {
  static const PixelKernels& fastest = runs_here(kPixelAvx512) ? kPixelAvx512
                                       : runs_here(kPixelAvx2) ? kPixelAvx2
                                                               : kPixelBaseline;
  return fastest;
}

}  // namespace letterpress
