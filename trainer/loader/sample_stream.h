#pragma once
#include <cstdint>

namespace letterpress {

/// Keyed permutation of 0..n-1: a Feistel network with cycle walking. O(1) state and time.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t key);
  std::uint64_t operator()(std::uint64_t i) const;  ///< i < n

 private:
  std::uint64_t n_, key_;
  int half_bits_;
};

/// One endless stream of samples: epoch permutations end to end. Every sample occurs once per epoch, the position is one integer, any
/// number of ranks continues it: global batch b is [b*B, (b+1)*B), rank r of R takes its contiguous slice of that.
class SampleStream {
 public:
  SampleStream(std::int64_t samples, std::uint64_t seed) : samples_(samples), seed_(seed) {}
  struct Place {
    std::int64_t epoch, sample;
  };
  Place at(std::int64_t position) const;
  std::int64_t samples() const noexcept { return samples_; }

 private:
  std::int64_t samples_;
  std::uint64_t seed_;
};

}  // namespace letterpress
