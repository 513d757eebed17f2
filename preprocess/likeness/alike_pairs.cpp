#include "preprocess/likeness/alike_pairs.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <tuple>

#include "preprocess/likeness/agreement.h"
#include "preprocess/likeness/candidates.h"
#include "preprocess/likeness/joined.h"

namespace letterpress {

std::vector<AlikePair> alike_pairs(std::span<const Look> looks, const StopRequest& stop) {
  const std::vector<std::vector<std::int32_t>> candidates = candidates_of(looks, stop);
  Joined scenes(looks.size());
  std::vector<AlikePair> pairs, found;
  // Each look's best candidate first: most of the others hang together with it then.
  for (std::size_t rank = 0; rank < kCandidates && !stop; ++rank) {
    pairs.clear();
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (rank >= candidates[i].size()) continue;
      const auto a = static_cast<std::int32_t>(i);
      const std::int32_t b = candidates[i][rank];
      if (scenes.first_of(a) != scenes.first_of(b)) pairs.push_back({a, b, 0});
    }
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), 64), [&](const auto& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        const Look& a = looks[static_cast<std::size_t>(pairs[i].a)];
        const Look& b = looks[static_cast<std::size_t>(pairs[i].b)];
        const Agreement agreement = agreeing_corners(a, b, kAgreeing);
        if (agreement.is_of_one_scene()) pairs[i].corners = agreement.corners;
      }
    });
    for (const AlikePair& pair : pairs) {
      if (pair.corners == 0) continue;
      scenes.join(pair.a, pair.b);
      found.push_back(pair);
    }
  }
  std::sort(found.begin(), found.end(), [](const AlikePair& one, const AlikePair& other) {
    return std::tie(one.a, one.b) < std::tie(other.a, other.b);
  });
  return found;
}

}  // namespace letterpress
