#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/likeness/look.h"

namespace letterpress {

/// Two pictures that show one scene, a < b: places in the looks.
struct AlikePair {
  std::int32_t a = 0, b = 0;
  int corners = 0;  ///< that agree
  bool operator==(const AlikePair&) const = default;
};

/// Pairs of looks that agree as two of one scene do, ascending: enough of them that the
/// pictures of a scene hang together, not every one. In parallel; the same pairs for any number of
/// threads.
std::vector<AlikePair> alike_pairs(std::span<const Look> looks);

}  // namespace letterpress
