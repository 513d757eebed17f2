#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace letterpress {

/// Pictures that hang together, each group named by its first (disjoint sets, Galler and Fischer,
/// CACM 1964). Not thread-safe: asking shortens the way, too.
class Joined {
 public:
  /// Pictures are 0 to pictures - 1, each alone.
  explicit Joined(std::size_t pictures) : above_(pictures) {
    std::iota(above_.begin(), above_.end(), 0);
  }

  void join(std::int32_t a, std::int32_t b) {
    const auto [first, second] = std::minmax({first_of(a), first_of(b)});
    above(second) = first;
  }
  std::int32_t first_of(std::int32_t picture) {
    while (above(picture) != picture) picture = above(picture) = above(above(picture));
    return picture;
  }

 private:
  std::int32_t& above(std::int32_t picture) { return above_[static_cast<std::size_t>(picture)]; }
  std::vector<std::int32_t> above_;
};

}  // namespace letterpress
