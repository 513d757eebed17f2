#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace letterpress {

/// A corner of a picture and what surrounds it, as it is whatever the exposure.
struct Corner {
  std::uint64_t bits = 0;  ///< which of two places beside it is darker, 64 times: BRIEF, Calonder
                           ///< et al., ECCV 2010
  std::uint8_t x = 0, y = 0;  ///< in the thumbnail
  std::uint8_t level = 0;     ///< of the thumbnail's pyramid, 0 to kLookLevels - 1
  bool operator==(const Corner&) const = default;
};

inline constexpr int kThumbnail = 160;           ///< pixels, the longer side
inline constexpr int kLookLevels = 3;            ///< each 0.8 times the one below
inline constexpr std::size_t kLookCorners = 40;  ///< at most

/// What a picture shows: its strongest corners (Harris and Stephens, 1988), in the order of levels
/// and strength. Cuttings of a picture and other exposures of it keep most of them. Empty for a
/// picture without contrast.
using Look = std::vector<Corner>;

/// rgb: uint8, rows of `stride` pixels; x, y, width, height: the part that is looked at, without a
/// letterbox's padding. Integers throughout: the same look on every machine. Thread-safe.
struct LookedAt {
  std::span<const std::uint8_t> rgb;
  int stride = 0;
  int x = 0, y = 0, width = 0, height = 0;
};
Look look_at(const LookedAt& picture);

}  // namespace letterpress
