#include "preprocess/map/channel_sums.h"

#include <algorithm>
#include <cstring>

#include "letterpress/base/cpu.h"

namespace letterpress {
namespace {

typedef std::uint16_t Words __attribute__((vector_size(32)));

constexpr std::size_t kBytes = sizeof(Words);
constexpr std::size_t kPeriod = 3 * kBytes;  // whole pixels and whole vectors
constexpr std::size_t kMost = 257;           // periods of bytes of 255 that 16 bits hold

// One 16-bit sum per byte of a period: of the even bytes, which are the lower halves of words, and
// of the odd ones.
[[gnu::always_inline]] inline void add(const std::uint8_t* bytes, std::size_t n,
                                       std::array<std::uint64_t, 3>& sums) {
  Words even[3]{}, odd[3]{};
  for (std::size_t k = 0; k < n; ++k, bytes += kPeriod) {
#pragma GCC unroll 3
    for (std::size_t v = 0; v < 3; ++v) {
      Words pairs;
      std::memcpy(&pairs, bytes + v * kBytes, kBytes);
      even[v] += pairs & 0xFF;
      odd[v] += pairs >> 8;
    }
  }
  for (std::size_t v = 0; v < 3; ++v) {
    for (std::size_t i = 0; i < kBytes / 2; ++i) {
      sums[(v * kBytes + 2 * i) % 3] += even[v][i];
      sums[(v * kBytes + 2 * i + 1) % 3] += odd[v][i];
    }
  }
}

using Add = void (*)(const std::uint8_t* bytes, std::size_t n, std::array<std::uint64_t, 3>& sums);

void add_in_sse2(const std::uint8_t* bytes, std::size_t n, std::array<std::uint64_t, 3>& sums) {
  add(bytes, n, sums);
}
[[gnu::target("avx2")]] void add_in_avx2(const std::uint8_t* bytes, std::size_t n,
                                         std::array<std::uint64_t, 3>& sums) {
  add(bytes, n, sums);
}

}  // namespace

std::array<std::uint64_t, 3> sum_channels(std::span<const std::uint8_t> image) noexcept {
  static const Add add_periods = runs_avx2() ? add_in_avx2 : add_in_sse2;
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
