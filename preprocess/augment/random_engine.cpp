#include "preprocess/augment/random_engine.h"

#include <cmath>
#include <cstring>
#include <span>

namespace letterpress {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0], product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

RandomEngine::RandomEngine(const StreamKey& key) noexcept {
  // The hash of the stream's name gives the key and the upper half of the counter; the lower half
  // counts blocks.
  std::array<std::byte, 40> name;
  std::memcpy(name.data(), &key.seed, 8);
  std::memcpy(name.data() + 8, &key.draw, 8);
  std::memcpy(name.data() + 16, key.source_hash.bytes.data(), 16);
  std::memcpy(name.data() + 32, &key.view, 4);
  std::memcpy(name.data() + 36, &key.stream, 4);
  const Hash128 hash = hash128(std::span<const std::byte>(name));
  std::array<std::uint32_t, 4> words;
  std::memcpy(words.data(), hash.bytes.data(), sizeof words);
  key_ = {words[0], words[1]};
  counter_ = {0, 0, words[2], words[3]};
}

std::uint32_t RandomEngine::next() noexcept {
  if (used_ == block_.size()) {
    block_ = philox4x32(counter_, key_);
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[used_++];
}

float RandomEngine::uniform(double low, double high) noexcept {
  constexpr double kUnit = 1.0 / 4294967296.0;
  return round_drawn(low + (high - low) * (next() * kUnit));
}

bool RandomEngine::coin(double chance) noexcept { return next() < chance * 4294967296.0; }

float RandomEngine::factor(double largest) noexcept {
  const bool raised = coin(0.5);
  const double value = uniform(1, largest);
  return raised ? round_drawn(value) : round_drawn(1 / value);
}

float round_drawn(double value) noexcept {
  return static_cast<float>(std::floor(value * 65536 + 0.5) / 65536);
}

}  // namespace letterpress
