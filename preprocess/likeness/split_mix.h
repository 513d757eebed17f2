#pragma once
#include <cstdint>

namespace letterpress {

/// Each bit of the result depends on all of z's: the finisher of SplitMix64 (Steele et al., OOPSLA
/// 2014).
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace letterpress
