#pragma once
#include <cstdint>

#include "letterpress/base/limits.h"

namespace letterpress {

/// Sides of frames and of networks' pictures, in pixels: multiples of kSideStep, which is the
/// stride of the models' coarsest cells, up to kLargestSide.
inline constexpr int kSideStep = 32, kLargestSide = 8192;

constexpr bool is_side(std::int64_t side) noexcept {
  return side >= kSideStep && side <= kLargestSide && side % kSideStep == 0;
}

inline constexpr Limits kSideLimits{"a multiple of 32 from 32 to 8192", [](double side) {
                                      return side >= 0 && side <= kLargestSide &&
                                             is_side(static_cast<std::int64_t>(side));
                                    }};

}  // namespace letterpress
