#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "preprocess/likeness/look.h"

namespace letterpress {

/// Candidates of a look at most.
inline constexpr std::size_t kCandidates = 16;

/// Of each look the later ones that may show its scene, as places in `looks`: the most promising
/// first. Where more show one scene most of them follow one another in chains.
///
/// Two neighbouring corners and the direction from one to the other are what looks are found by
/// (after geometric min-hash, Chum et al., CVPR 2009): some bits of both make a key, in each of
/// four tables other ones, and what few looks have counts more than what many have. Time grows as
/// the number of looks. Memory: up to 11 KiB for each look, of which few corners are met again
/// less, and 4 bytes for each look and thread. In parallel; the same for any number of threads.
/// Unfinished on `stop`. Throws Error (usage) for more than 25 million looks.
std::vector<std::vector<std::int32_t>> candidates_of(std::span<const Look> looks,
                                                     const StopRequest& stop);

}  // namespace letterpress
