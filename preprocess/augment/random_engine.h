#pragma once
#include <array>
#include <cstdint>

#include "letterpress/base/hash.h"

namespace letterpress {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): a bijection
/// of the counter under the key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept;

/// Identifies one stream of random numbers: of one augmentation of one view of one picture.
struct StreamKey {
  std::uint64_t seed = 1, draw = 0;
  Hash128 source_hash{};
  std::int32_t view = 0;
  std::int32_t stream = 0;  ///< the augmentation's position in its recipe
};

/// Counter-based engine: its numbers depend only on its key, never on threads or other engines. Not
/// thread-safe; make one per use.
class RandomEngine {
 public:
  explicit RandomEngine(const StreamKey& key) noexcept;
  std::uint32_t next() noexcept;
  /// A multiple of 1/65536 in [low, high]. Below 256 in size a float holds it exactly, so that the
  /// stored value is the one that was used.
  float uniform(double low, double high) noexcept;
  bool coin(double chance) noexcept;  ///< true with `chance` 0..1
  /// A number 1..largest or, as often, its inverse; a multiple of 1/65536. A coin is drawn first,
  /// then the number.
  float factor(double largest) noexcept;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// The nearest multiple of 1/65536. Drawn values are rounded before use, so that the last bit of a
/// library's arithmetic never matters.
float round_drawn(double value) noexcept;

}  // namespace letterpress
