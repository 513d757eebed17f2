#include "preprocess/augment/random_engine.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

namespace letterpress {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers that come with Random123 (D. E. Shaw Research), tests/kat_vectors, philox4x32 10.
TEST_CASE("Philox4x32-10 gives Random123's known answers") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("every part of the key changes the stream, and equal keys give equal streams") {
  StreamKey key{.seed = 1, .draw = 2, .source_hash = hash128("picture"), .view = 3, .stream = 4};
  const auto first = [](const StreamKey& k) { return RandomEngine(k).next(); };
  std::set<std::uint32_t> values{first(key)};
  CHECK(values.contains(first(key)));
  StreamKey other = key;
  other.seed = 2, values.insert(first(other)), other = key;
  other.draw = 3, values.insert(first(other)), other = key;
  other.source_hash = hash128("another"), values.insert(first(other)), other = key;
  other.view = 4, values.insert(first(other)), other = key;
  other.stream = 5, values.insert(first(other));
  CHECK(values.size() == 6);
}

TEST_CASE("uniform values are multiples of 1/65536 in their range, with the range's mean") {
  RandomEngine engine({.seed = 5});
  double sum = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const float value = engine.uniform(-0.1, 2);
    CHECK_FALSE(value < -0.1f - 1e-5f);
    CHECK_FALSE(value > 2);
    CHECK_FALSE(std::floor(value * 65536) != value * 65536);
    sum += value;
  }
  CHECK(sum / kCount == doctest::Approx(0.95).epsilon(0.02));
}

TEST_CASE("a coin is true as often as its chance says: 0 never, 1 always") {
  RandomEngine engine({.seed = 6});
  int heads = 0;
  for (int i = 0; i < 10000; ++i) {
    heads += engine.coin(0.25);
    CHECK_FALSE(engine.coin(0));
    CHECK_FALSE(!engine.coin(1));
  }
  CHECK(heads == doctest::Approx(2500).epsilon(0.06));
}

}  // namespace
}  // namespace letterpress
