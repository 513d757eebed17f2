#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/base/stop_request.h"
#include "preprocess/likeness/look.h"

namespace letterpress {

/// Two pictures that show one scene, a < b: places in the looks.
struct AlikePair {
  std::int32_t a = 0, b = 0;
  int corners = 0;  ///< that agree
  bool operator==(const AlikePair&) const = default;
};

/// Pairs of looks that agree as two of one scene do, ascending: as many as most scenes hang
/// together by (docs/benchmarks.md says how many do), not every one. Each look is compared with
/// kCandidates others at most. In parallel; the same pairs for any number of threads. Unfinished on
/// `stop`. Throws as candidates_of() does.
std::vector<AlikePair> alike_pairs(std::span<const Look> looks, const StopRequest& stop);

}  // namespace letterpress
