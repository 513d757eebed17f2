#include "trainer/loader/sample_stream.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "letterpress/base/error.h"
#include "letterpress/base/split_mix.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

constexpr int kRounds = 8;
// With fewer bits the round function has too few values: small sets would get only some of their
// orders.
constexpr int kFewestHalfBits = 3;

}  // namespace

Permutation::Permutation(std::uint64_t n, std::uint64_t key)
    : n_(n), key_(mixed(key + kSplitMixStep)) {
  if (n == 0) throw std::logic_error("Permutation: got 0 elements, must be 1 or more");
  half_bits_ = std::max(kFewestHalfBits, (static_cast<int>(std::bit_width(n - 1)) + 1) / 2);
}

std::uint64_t Permutation::encrypt(std::uint64_t block) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = block >> half_bits_, right = block & mask;
  for (int round = 1; round <= kRounds; ++round) {
    const std::uint64_t pad =
        mixed(right + key_ + static_cast<std::uint64_t>(round) * kSplitMixStep) >>
        (64 - half_bits_);
    const std::uint64_t next = left ^ pad;
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::operator()(std::uint64_t i) const {
  // The network permutes 0..4^half_bits-1 in cycles; following i's cycle until it is back below n
  // permutes 0..n-1.
  do i = encrypt(i);
  while (i >= n_);
  return i;
}

const std::vector<std::string>& orders() {
  static const std::vector<std::string> names{"shuffle", "window"};
  return names;
}

SampleWindow window_of(const std::string& order) {
  if (order == "shuffle") return {};
  if (order == "window") return {.block = 64, .blocks = 16};
  throw Error("--order is '" + order + "', must be " + either_of(orders()), Exit::usage);
}

SampleStream::SampleStream(std::int64_t samples, std::uint64_t seed, SampleWindow window)
    : samples_(samples), seed_(seed), window_(window) {
  if (samples < 1)
    throw std::logic_error("SampleStream: got " + std::to_string(samples) +
                           " samples, must be 1 or more");
  if (window.block < 0 || window.blocks < 1)
    throw std::logic_error("SampleStream: windows of " + std::to_string(window.blocks) +
                           " blocks of " + std::to_string(window.block) + " samples");
}

SampleStream::EpochSample SampleStream::at(std::int64_t position) const {
  const std::int64_t epoch = position / samples_, inside = position % samples_;
  const std::uint64_t key = mixed(seed_ + kSplitMixStep) + static_cast<std::uint64_t>(epoch);
  if (window_.block > 0) return {epoch, in_window(inside, key)};
  const Permutation order(static_cast<std::uint64_t>(samples_), key);
  return {epoch, static_cast<std::int64_t>(order(static_cast<std::uint64_t>(inside)))};
}

std::int64_t SampleStream::in_window(std::int64_t position, std::uint64_t key) const {
  const auto permuted = [](std::int64_t i, std::int64_t n, std::uint64_t its_key) {
    return static_cast<std::int64_t>(
        Permutation(static_cast<std::uint64_t>(n), its_key)(static_cast<std::uint64_t>(i)));
  };
  const std::int64_t window = position / window_.samples(), first = window * window_.samples();
  const std::int64_t length = std::min(window_.samples(), samples_ - first);
  const std::int64_t place = first + permuted(position - first, length,
                                              mixed(key + 2 + static_cast<std::uint64_t>(window)));
  // The last block is shorter. It stays the last but, like all blocks, begins elsewhere in each
  // epoch.
  const std::int64_t block = place / window_.block, whole_blocks = samples_ / window_.block;
  const std::int64_t source =
      block < whole_blocks ? permuted(block, whole_blocks, mixed(key + 1)) : block;
  const auto begin = static_cast<std::int64_t>(mixed(key) % static_cast<std::uint64_t>(samples_));
  return (source * window_.block + place % window_.block + begin) % samples_;
}

}  // namespace letterpress
