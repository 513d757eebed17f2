#include "trainer/loader/sample_stream.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace letterpress {
namespace {

constexpr int kRounds = 8;
// Fewer bits give a round function of too few values: small sets would see only some of their orders.
constexpr int kFewestHalfBits = 3;
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: SplitMix64's increment

/// SplitMix64's output function (Steele, Lea, Flood, OOPSLA 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

Permutation::Permutation(std::uint64_t n, std::uint64_t key) : n_(n), key_(mix(key + kGolden)) {
  if (n == 0) throw std::logic_error("Permutation: of 0 elements, at least 1 is needed");
  half_bits_ = std::max(kFewestHalfBits, (static_cast<int>(std::bit_width(n - 1)) + 1) / 2);
}

std::uint64_t Permutation::encrypt(std::uint64_t block) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = block >> half_bits_, right = block & mask;
  for (int round = 1; round <= kRounds; ++round) {
    const std::uint64_t pad = mix(right + key_ + static_cast<std::uint64_t>(round) * kGolden) >> (64 - half_bits_);
    const std::uint64_t next = left ^ pad;
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::operator()(std::uint64_t i) const {
  // The network permutes 0..4^half_bits-1 in cycles; following i's cycle until it is back below n permutes 0..n-1.
  do i = encrypt(i);
  while (i >= n_);
  return i;
}

SampleStream::SampleStream(std::int64_t samples, std::uint64_t seed) : samples_(samples), seed_(seed) {
  if (samples < 1) throw std::logic_error("SampleStream: of " + std::to_string(samples) + " samples, at least 1 is needed");
}

SampleStream::Place SampleStream::at(std::int64_t position) const {
  const std::int64_t epoch = position / samples_;
  const Permutation order(static_cast<std::uint64_t>(samples_), mix(seed_ + kGolden) + static_cast<std::uint64_t>(epoch));
  return {epoch, static_cast<std::int64_t>(order(static_cast<std::uint64_t>(position % samples_)))};
}

}  // namespace letterpress
