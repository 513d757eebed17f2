#pragma once
#include <cstddef>
#include <vector>

#include "preprocess/pictures/picture.h"

namespace letterpress {

/// A thread keeps its buffers between pictures, but no more than this of each.
inline constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

/// Frees the memory that a huge picture or file has left.
template <class Byte>
void free_if_huge(std::vector<Byte>& kept) {
  if (kept.capacity() > kMostKeptBytes) std::vector<Byte>().swap(kept);  // `= {}` would keep it
}

inline void free_if_huge(Picture& kept) {
  const YccPlanes& planes = kept.planes;
  if (kept.rgb.capacity() + planes.luma.capacity() + planes.cb.capacity() + planes.cr.capacity() >
      kMostKeptBytes)
    kept = {};
}

}  // namespace letterpress
