#pragma once
#include <array>
#include <cstdint>

#include "letterpress/base/hash.h"

namespace letterpress {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): a bijection
/// of the counter under the key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept;

/// Names one stream of random numbers: an augmentation of one view of one picture.
struct StreamKey {
  std::uint64_t seed = 1, draw = 0;
  Hash128 source_hash{};
  std::int32_t view = 0;
  std::int32_t stream = 0;  ///< position of the augmentation in its recipe: one that draws more
                            ///< does not shift the others
};

/// Counter-based engine: what it gives depends on its key alone, never on threads or on other
/// engines. Not thread-safe; make one per use.
class RandomEngine {
 public:
  explicit RandomEngine(const StreamKey& key) noexcept;
  std::uint32_t next() noexcept;
  /// A multiple of 1/65536 in [low, high], of float precision as long as it is under 256 in size:
  /// what is stored is what was used.
  float uniform(double low, double high) noexcept;
  bool coin(double chance) noexcept;  ///< true with `chance` 0..1
  /// 1..largest or, as often, its inverse; the coin that decides comes before the number. A
  /// multiple of 1/65536.
  float factor(double largest) noexcept;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// The nearest multiple of 1/65536: drawn values are rounded so before use, so that the last bit of
/// a library's arithmetic cannot show.
float round_drawn(double value) noexcept;

}  // namespace letterpress
