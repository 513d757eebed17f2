#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "preprocess/likeness/alike_pairs.h"

namespace letterpress {

/// Which pictures belong together.
struct Scenes {
  std::vector<std::int32_t> first;  ///< of each look: the first one of its scene; itself if alone
  std::vector<std::int32_t> group;  ///< the same, but those that are too many stay together
  std::int64_t scenes = 0;          ///< of two pictures or more
  std::int64_t pictures = 0;        ///< in these
  std::int64_t largest = 0;         ///< pictures of the largest of these
  std::int64_t apart = 0;           ///< pictures that look like one scene, but are too many of all
  bool operator==(const Scenes&) const = default;
};

/// Pictures that hang together by `pairs` (of alike_pairs) are one scene. If more than half of all
/// do, they are taken for the views of a standing camera, or of one pattern, and stay single: as
/// one group nobody could split them.
Scenes scenes_of(std::size_t pictures, std::span<const AlikePair> pairs);

}  // namespace letterpress
