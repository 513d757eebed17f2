#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace letterpress {

/// Keyed permutation of 0..n-1: a balanced Feistel network over the next power of four, with cycle
/// walking (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002). O(1) state;
/// on average under four (for n < 64: under 64/n) network passes per call. Not for secrets: it only
/// has to look shuffled.
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t key);  ///< n >= 1; throws std::logic_error otherwise
  std::uint64_t operator()(std::uint64_t i) const;  ///< i < n

 private:
  std::uint64_t encrypt(std::uint64_t block) const;

  std::uint64_t n_, key_;
  int half_bits_;
};

/// An order for disks that seek slowly. Neighbouring samples are cut into blocks, starting at
/// another sample in each epoch. The blocks are permuted, each run of `blocks` of them makes a
/// window, and the samples of a window are permuted.
struct SampleWindow {
  std::int64_t block = 0;    ///< samples per block; 0: no windows, the whole epoch is permuted
  std::int64_t blocks = 16;  ///< per window; more mix better, fewer need less memory to read ahead
  std::int64_t samples() const noexcept { return block * blocks; }
};

const std::vector<std::string>& orders();  ///< shuffle, window
/// "shuffle": no windows; "window": blocks of 64 samples, 16 to a window. Throws Error (usage) for
/// another name.
SampleWindow window_of(const std::string& order);

/// One endless stream of samples: epoch permutations end to end. Every sample occurs once per
/// epoch. The position is one integer, so a run of any world size continues it: global batch b is
/// [b*B, (b+1)*B), and each rank takes its contiguous slice of that.
class SampleStream {
 public:
  /// samples >= 1, block >= 0, blocks >= 1; throws std::logic_error otherwise. With windows sample
  /// i is beside sample i + 1 on the disk.
  SampleStream(std::int64_t samples, std::uint64_t seed, SampleWindow window = {});
  struct EpochSample {
    std::int64_t epoch, sample;
    bool operator==(const EpochSample&) const = default;
  };
  EpochSample at(std::int64_t position) const;  ///< position >= 0; O(1)
  std::int64_t samples() const noexcept { return samples_; }

 private:
  std::int64_t in_window(std::int64_t position, std::uint64_t key) const;

  std::int64_t samples_;
  std::uint64_t seed_;
  SampleWindow window_;
};

}  // namespace letterpress
