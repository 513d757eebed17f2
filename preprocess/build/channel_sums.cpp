#include "preprocess/build/channel_sums.h"

#include <algorithm>

namespace letterpress {
namespace {

constexpr std::size_t kPeriod = 192;  // bytes: whole pixels and whole vectors
constexpr std::size_t kMost = 257;    // periods of bytes of 255 that 16 bits hold

// One 16-bit sum per byte of a period, so that the compiler adds whole vectors.
void add_periods(const std::uint8_t* bytes, std::size_t n, std::array<std::uint64_t, 3>& sums) {
  std::array<std::uint16_t, kPeriod> lanes{};
  for (std::size_t k = 0; k < n; ++k, bytes += kPeriod) {
    for (std::size_t i = 0; i < kPeriod; ++i) lanes[i] = static_cast<std::uint16_t>(lanes[i] + bytes[i]);
  }
  for (std::size_t i = 0; i < kPeriod; ++i) sums[i % 3] += lanes[i];
}

}  // namespace

std::array<std::uint64_t, 3> sum_channels(std::span<const std::uint8_t> image) noexcept {
  std::array<std::uint64_t, 3> sums{};
  while (image.size() >= kPeriod) {
    const std::size_t n = std::min(image.size() / kPeriod, kMost);
    add_periods(image.data(), n, sums);
    image = image.subspan(n * kPeriod);
  }
  for (std::size_t i = 0; i < image.size(); ++i) sums[i % 3] += image[i];
  return sums;
}

}  // namespace letterpress
