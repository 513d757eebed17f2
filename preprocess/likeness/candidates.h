#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/likeness/look.h"

namespace letterpress {

/// Of each look the later ones that may show its scene, as places in `looks`: the most promising
/// first, kCandidates at most. Where many show one scene they form chains, whatever their order.
///
/// Two neighbouring corners and the direction from one to the other are what looks are found by
/// (after geometric min-hash, Chum et al., CVPR 2009): some bits of both make a key, in each of
/// four tables other ones, and what few looks have counts more than what many have. Time grows as
/// the number of looks; 2 to 6 KiB of memory for each. In parallel; the same for any number of
/// threads.
inline constexpr std::size_t kCandidates = 16;
std::vector<std::vector<std::int32_t>> candidates_of(std::span<const Look> looks);

}  // namespace letterpress
