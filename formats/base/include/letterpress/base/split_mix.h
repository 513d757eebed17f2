#pragma once
#include <cstdint>

namespace letterpress {

/// SplitMix64's output function (Steele, Lea, Flood, OOPSLA 2014): every input bit reaches every
/// output bit.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// What its state grows by: 2^64 / golden ratio.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15ULL;

}  // namespace letterpress
