#include "tests/bench/registry.h"

#include <array>

namespace letterpress {

std::span<const BenchmarkEntry* const> benchmarks() noexcept {
  static constexpr std::array entries{
      &kDecode,
      &kDecodeToSide,
      &kDecodeAsBuilt,
      &kDecodeAndRowWrite,
      &kDecodeToSideAndRowWrite,
      &kDecodeAsBuiltAndRowWrite,
      &kLetterbox,
      &kWarp,
      &kAugmentedRow,
      &kColour,
      &kRowChecksum,
      &kRowWrite,
      &kRowRead,
#ifdef LETTERPRESS_BENCH_TRAINER
      &kConversion,
      &kPermutation,
      &kSuppression,
      &kAnchorAssignment,
      &kPointAssignment,
#endif
  };
  return entries;
}

}  // namespace letterpress
