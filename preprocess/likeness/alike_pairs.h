#pragma once
#include <cstdint>
#include <span>
#include <utility>
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
/// pictures of a scene hang together, not every one. Corners are put in tables by some of their
/// bits, so many that about 32 share a place however many there are, and only those are compared
/// (multi-index hashing, Norouzi et al., arXiv:1307.2982): the time grows as the number of
/// pictures. Corners that very many pictures have are compared with a few of them only. In
/// parallel; the same pairs for any number of threads.
std::vector<AlikePair> alike_pairs(std::span<const Look> looks);

}  // namespace letterpress
