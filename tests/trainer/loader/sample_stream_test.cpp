#include "trainer/loader/sample_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

using namespace letterpress;

namespace {

std::vector<std::uint64_t> order(std::uint64_t n, std::uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<std::uint64_t> answer(n);
  for (std::uint64_t i = 0; i < n; ++i) answer[i] = permutation(i);
  return answer;
}

bool is_permutation_of_indices(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  for (std::uint64_t i = 0; i < values.size(); ++i)
    if (values[i] != i) return false;
  return true;
}

/// Pearson's statistic of counts that should all be `expected`.
double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

}  // namespace

TEST_CASE("every n up to 300, and around powers of four, is permuted without loss") {
  std::vector<std::uint64_t> sizes{1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537};
  for (std::uint64_t n = 1; n <= 300; ++n) sizes.push_back(n);
  for (const std::uint64_t n : sizes)
    for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      CAPTURE(n);
      CAPTURE(key);
      CHECK(is_permutation_of_indices(order(n, key)));
    }
}

TEST_CASE("the largest sets stay in range, without two equal places") {
  for (const std::uint64_t n :
       {std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 25, ~std::uint64_t{0}}) {
    const Permutation permutation(n, 5);
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      seen.insert(permutation(i));
      seen.insert(permutation(n - 1 - i));
    }
    CHECK(seen.size() == 2000);
    CHECK(*seen.rbegin() < n);
  }
}

TEST_CASE("over 12,000 keys all 120 orders of 5 are equally frequent") {
  std::map<std::vector<std::uint64_t>, int> found;
  for (std::uint64_t key = 0; key < 12000; ++key) ++found[order(5, key)];
  CHECK(found.size() == 120);
  std::vector<int> counts;
  for (const auto& [one, count] : found) counts.push_back(count);
  // 119 degrees of freedom: mean 119, deviation 15.4
  CHECK(chi_square(counts, 100) < 119 + 5 * 15.4);
}

TEST_CASE("over keys every one of 100 samples comes to every place, and neighbours part") {
  constexpr int kKeys = 2000;
  std::vector<int> counts(100 * 100);
  int neighbours = 0;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const std::vector<std::uint64_t> one = order(100, key);
    for (std::size_t i = 0; i < 100; ++i) ++counts[i * 100 + one[i]];
    for (std::size_t i = 1; i < 100; ++i) neighbours += one[i] == one[i - 1] + 1;
  }
  // 99 * 99 degrees of freedom
  CHECK(chi_square(counts, kKeys / 100.0) < 9801 + 5 * std::sqrt(2 * 9801.0));
  // 99 pairs, each with chance 1/100, variance about the mean
  CHECK(std::abs(neighbours - kKeys * 0.99) < 5 * std::sqrt(kKeys * 0.99));
}

TEST_CASE("the stream is the one that its description gives, in all versions") {
  // tests/golden/loader/print_sample_stream.py
  const std::int64_t small[] = {6, 0, 1, 5, 4, 3, 2, 1, 3, 4, 0, 6, 5, 2, 1, 2, 6, 5, 4, 0, 3};
  for (std::int64_t p = 0; p < 21; ++p)
    CHECK(SampleStream(7, 1).at(p) == SampleStream::EpochSample{p / 7, small[p]});
  const std::int64_t positions[] = {0, 1, 117265, 117266, 1000000000, 1000000000000};
  const std::int64_t large[] = {81739, 4053, 34830, 73371, 94355, 26724};
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(SampleStream(117266, 42).at(positions[i]).sample == large[i]);
  const std::uint64_t n = (std::uint64_t{1} << 63) - 25;
  CHECK(Permutation(n, 5)(0) == 2494612082565567910);
  CHECK(Permutation(n, 5)(1) == 7103938467270046564);
  CHECK(Permutation(n, 5)(n - 1) == 5976894744760541155);
}

TEST_CASE("every sample occurs once per epoch, each epoch in another order, each seed in another") {
  const SampleStream stream(50, 3), other(50, 4);
  std::set<std::vector<std::int64_t>> orders;
  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<std::int64_t> one, two;
    for (std::int64_t i = 0; i < 50; ++i) {
      CHECK(stream.at(epoch * 50 + i).epoch == epoch);
      one.push_back(stream.at(epoch * 50 + i).sample);
      two.push_back(other.at(epoch * 50 + i).sample);
    }
    CHECK(std::set<std::int64_t>(one.begin(), one.end()).size() == 50);
    orders.insert({one, two});
  }
  CHECK(orders.size() == 40);
}

TEST_CASE("the windowed stream is the one that its description gives") {
  // tests/golden/loader/print_sample_stream.py
  const std::int64_t small[] = {12, 5, 0, 4, 1, 11, 15, 16, 7,  13, 6,  14, 2,  3,  8, 10, 9,
                                0,  1, 9, 2, 8, 3,  6,  7,  11, 15, 16, 12, 14, 10, 5, 4,  13};
  for (std::int64_t p = 0; p < 34; ++p)
    CHECK(SampleStream(17, 3, {.block = 2, .blocks = 3}).at(p) ==
          SampleStream::EpochSample{p / 17, small[p]});
  const std::int64_t positions[] = {0, 1, 255, 256, 999, 1000, 1000000},
                     large[] = {649, 949, 216, 267, 521, 438, 13};
  for (std::size_t i = 0; i < 7; ++i)
    CHECK(SampleStream(1000, 7, {.block = 64, .blocks = 4}).at(positions[i]).sample == large[i]);
}

TEST_CASE("windows lose no sample, whatever is left over of blocks and windows") {
  for (const std::int64_t n : {1, 5, 16, 17, 63, 64, 200})
    for (const SampleWindow window : {SampleWindow{1, 1}, {4, 4}, {16, 3}, {300, 2}}) {
      CAPTURE(n);
      CAPTURE(window.block);
      const SampleStream stream(n, 9, window);
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        std::set<std::int64_t> seen;
        for (std::int64_t i = 0; i < n; ++i) seen.insert(stream.at(epoch * n + i).sample);
        CHECK(static_cast<std::int64_t>(seen.size()) == n);
        CHECK(*seen.begin() == 0);
        CHECK(*seen.rbegin() == n - 1);
      }
    }
}

TEST_CASE(
    "a window is few runs of neighbours, in an order of its own; runs and windows differ between "
    "epochs") {
  const SampleWindow window{.block = 8, .blocks = 4};
  const SampleStream stream(1000, 5, window);
  std::set<std::int64_t> begins;
  for (std::int64_t first = 0; first < 2 * 1000 - 40; first += 32) {
    if (first / 1000 != (first + 31) / 1000) continue;
    const std::int64_t begin = first % 1000 / 32 * 32 + first / 1000 * 1000;
    std::vector<std::int64_t> samples;
    for (std::int64_t i = begin; i < std::min(begin + 32, (begin / 1000 + 1) * 1000); ++i)
      samples.push_back(stream.at(i).sample);
    CHECK_FALSE(std::is_sorted(samples.begin(), samples.end()));
    std::sort(samples.begin(), samples.end());
    std::size_t runs = 1;
    for (std::size_t i = 1; i < samples.size(); ++i) runs += samples[i] != samples[i - 1] + 1;
    CHECK(runs <= 5);  // four blocks, one of which may lie around the end of the list
    begins.insert(samples[0]);
  }
  CHECK(begins.size() > 40);
}

TEST_CASE("over epochs every sample comes to every window") {
  const SampleStream stream(120, 11, {.block = 4, .blocks = 5});
  std::vector<int> counts(6 * 120);
  for (std::int64_t p = 0; p < 120 * 3000; ++p)
    ++counts[static_cast<std::size_t>(p % 120 / 20 * 120 + stream.at(p).sample)];
  // 5 * 119 degrees of freedom, but blocks move as a whole: four samples' counts are one draw, so
  // the statistic is up to four times as wide.
  CHECK(chi_square(counts, 500) < 4 * (595 + 5 * std::sqrt(2 * 595.0)));
  CHECK(*std::min_element(counts.begin(), counts.end()) > 350);
}

TEST_CASE("the state of an order is a few numbers, with windows and without") {
  CHECK(std::is_trivially_copyable_v<SampleStream>);  // it owns no list
  CHECK(sizeof(SampleStream) <= 64);
}

TEST_CASE("a stream of nothing is refused") {
  CHECK_THROWS_WITH_AS(SampleStream(0, 1), "SampleStream: got 0 samples, must be 1 or more",
                       std::logic_error);
  CHECK_THROWS_WITH_AS(SampleStream(1, 1, {.block = 4, .blocks = 0}),
                       "SampleStream: windows of 0 blocks of 4 samples", std::logic_error);
  CHECK_THROWS_WITH_AS(Permutation(0, 1), "Permutation: got 0 elements, must be 1 or more",
                       std::logic_error);
}
