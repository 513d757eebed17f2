#include "preprocess/augment/colour_kernels.h"

namespace letterpress {
namespace {

const ColourKernels& fastest() noexcept {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return kColourAvx512;
  return __builtin_cpu_supports("avx2") ? kColourAvx2 : kColourBaseline;
}

}  // namespace

const ColourKernels& colour_kernels() noexcept {
  static const ColourKernels& kernels = fastest();
  return kernels;
}

}  // namespace letterpress
