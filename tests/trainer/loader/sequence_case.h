#pragma once
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "trainer/loader/batch_sequence.h"

namespace letterpress {

inline constexpr std::int64_t kNoCleanEpoch = std::numeric_limits<std::int64_t>::max();
using Wants = std::vector<WantedRow>;

/// n pictures with K views: picture i is clean row i of shard 0 and rows i*K... of shard 1.
inline std::vector<PictureRows> pictures(int n, int views) {
  std::vector<PictureRows> result;
  for (int i = 0; i < n; ++i) {
    PictureRows picture{static_cast<std::uint64_t>(100 + 7 * i), 0, {0, i}, {}};
    for (int view = 0; view < views; ++view) picture.augmented.push_back({1, i * views + view});
    result.push_back(picture);
  }
  return result;
}

inline std::vector<std::pair<std::int64_t, RowPlace>> flat(const Wants& wants) {
  std::vector<std::pair<std::int64_t, RowPlace>> result;
  for (const WantedRow& want : wants) result.emplace_back(want.sample, want.row);
  return result;
}

inline Wants operator+(Wants first, const Wants& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace letterpress
