#include "preprocess/augment/colour_kernels.h"

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

const ColourKernels& fastest() noexcept {
  if (runs_avx512()) return kColourAvx512;
  return runs_avx2() ? kColourAvx2 : kColourBaseline;
}

}  // namespace

const ColourKernels& colour_kernels() noexcept {
  static const ColourKernels& kernels = fastest();
  return kernels;
}

}  // namespace letterpress
