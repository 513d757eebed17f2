#include "trainer/loader/sample_stream.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
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
  for (const std::uint64_t n : {std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 25, ~std::uint64_t{0}}) {
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
  for (std::int64_t p = 0; p < 21; ++p) CHECK(SampleStream(7, 1).at(p) == SampleStream::Place{p / 7, small[p]});
  const std::int64_t positions[] = {0, 1, 117265, 117266, 1000000000, 1000000000000};
  const std::int64_t large[] = {81739, 4053, 34830, 73371, 94355, 26724};
  for (std::size_t i = 0; i < 6; ++i) CHECK(SampleStream(117266, 42).at(positions[i]).sample == large[i]);
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

TEST_CASE("a stream of nothing is refused") {
  CHECK_THROWS_WITH_AS(SampleStream(0, 1), "SampleStream: of 0 samples, at least 1 is needed", std::logic_error);
  CHECK_THROWS_WITH_AS(Permutation(0, 1), "Permutation: of 0 elements, at least 1 is needed", std::logic_error);
}
