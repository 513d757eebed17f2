#pragma once
#include <cstdint>

namespace letterpress {

/// Sides of frames and of networks' pictures, in pixels: multiples of kSideStep, which is the
/// stride of the models' coarsest cells, up to kLargestSide. For messages: kSides.
inline constexpr int kSideStep = 32, kLargestSide = 8192;
inline constexpr const char* kSides = "a multiple of 32 from 32 to 8192";

constexpr bool is_side(std::int64_t side) noexcept {
  return side >= kSideStep && side <= kLargestSide && side % kSideStep == 0;
}

}  // namespace letterpress
