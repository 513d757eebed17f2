#include "trainer/loader/epoch_places.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "letterpress/base/error.h"
#include "tests/trainer/loader/sequence_case.h"

using namespace letterpress;

namespace {

const std::vector<float> kFactors{1, 2.75, 1.5, 1, 1.25};
const std::vector<std::uint32_t> kWeights{0, 0, 0, 3, 1};

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
Pairs all_of(const EpochPlaces& places, std::uint64_t key) {
  Pairs result;
  for (std::int64_t i = 0; i < places.size(); ++i) {
    const auto [picture, repeat] = places.at(i, key);
    result.emplace_back(picture, repeat);
  }
  return result;
}

TrainingOrder repeated(int global_batch) {
  return {.seed = 3,
          .global_batch = global_batch,
          .first_clean_epoch = kNoCleanEpoch,
          .repeats = {.factors = kFactors, .weights = kWeights, .share = 0.25}};
}

}  // namespace

TEST_CASE("an epoch's places are those of tests/golden/loader/print_sample_stream.py") {
  const EpochPlaces parts(5, {.factors = kFactors}), both(5, repeated(1).repeats);
  const std::uint64_t key = ~std::uint64_t{3};
  CHECK(all_of(parts, key) ==
        Pairs{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}, {1, 2}, {4, 1}});
  CHECK(all_of(parts, key + 1) ==
        Pairs{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}, {1, 2}, {2, 1}});
  Pairs first = all_of(parts, key), second = all_of(parts, key + 1);
  first.insert(first.end(), {{3, 2}, {4, 3}, {3, 4}});
  second.insert(second.end(), {{4, 2}, {3, 3}, {3, 4}});
  CHECK(all_of(both, key) == first);
  CHECK(all_of(both, key + 1) == second);
}

TEST_CASE("the stream permutes the places; what comes again in an epoch shows another view") {
  const auto all = pictures(5, 7);
  const auto sequence = training_sequence(all, repeated(12), 0, 1);
  const Pairs wanted{{3, 0}, {2, 0}, {0, 0}, {1, 0}, {4, 0}, {3, 4}, {1, 1}, {4, 1},
                     {4, 3}, {1, 2}, {3, 2}, {4, 0}, {2, 0}, {2, 1}, {1, 1}, {4, 2},
                     {3, 4}, {1, 2}, {0, 0}, {3, 3}, {3, 0}, {1, 0}, {1, 0}, {3, 2}};
  CHECK(samples_of_epoch(5, repeated(12)) == 11);
  const Wants wants = sequence(0) + sequence(1);
  REQUIRE(wants.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    const auto [picture, repeat] = wanted[i];
    const std::int64_t epoch = static_cast<std::int64_t>(i) / 11,
                       view = (100 + 7 * picture + epoch + repeat) % 7;
    CHECK(wants[i].sample == picture);
    CHECK(wants[i].row == RowPlace{1, 7 * picture + view});
  }
}

TEST_CASE(
    "over epochs a picture has as many places as its factor and its part of the share say, and at "
    "least one in each") {
  std::vector<float> factors;
  std::vector<std::uint32_t> weights;
  for (int i = 0; i < 50; ++i) {
    factors.push_back(1 + static_cast<float>(i % 7) * 0.3F);
    weights.push_back(static_cast<std::uint32_t>(i % 5 == 0 ? 10 * (i + 1) : 0));
  }
  const EpochPlaces places(50, {.factors = factors, .weights = weights, .share = 0.2});
  double sum = 0, weight = 0;
  for (const float factor : factors) sum += static_cast<double>(factor);
  for (const std::uint32_t one : weights) weight += one;
  const double parts = std::round(sum), share = std::round(parts / 4);
  CHECK(places.size() == static_cast<std::int64_t>(parts + share));
  constexpr int kEpochs = 2000;
  std::vector<double> mean(50);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    std::vector<int> times(50);
    std::map<std::int64_t, std::set<std::int64_t>> repeats;
    for (const auto& [picture, repeat] : all_of(places, static_cast<std::uint64_t>(epoch))) {
      ++times[static_cast<std::size_t>(picture)];
      CHECK(repeats[picture].insert(repeat).second);
    }
    for (std::size_t i = 0; i < 50; ++i) {
      CHECK(times[i] >= 1);
      mean[i] += static_cast<double>(times[i]) / kEpochs;
      const double expected = share * weights[i] / weight;
      CHECK(times[i] <= std::ceil(static_cast<double>(factors[i])) + 1 + std::ceil(expected));
    }
  }
  // What is beyond whole ones is rounded in sum; a mean of 2000 coins errs by 0.011.
  for (std::size_t i = 0; i < 50; ++i) {
    CAPTURE(i);
    const double wanted = static_cast<double>(factors[i]) + share * weights[i] / weight;
    CHECK(mean[i] == doctest::Approx(wanted).epsilon(0.04));
  }
}

TEST_CASE("repeats: the ranks together make the batches of one rank, from any step on") {
  const auto all = pictures(5, 7);
  const auto whole = training_sequence(all, repeated(7), 0, 1);
  for (std::int64_t b = 0; b < 22; ++b) {
    for (const int ranks : {2, 3}) {
      Wants joined;
      TrainingOrder resumed = repeated(7);
      resumed.begin = b * 7;
      for (int rank = 0; rank < ranks; ++rank)
        joined = joined + training_sequence(all, resumed, rank, ranks)(0);
      CHECK(flat(joined) == flat(whole(b)));
    }
  }
}

TEST_CASE("weights that are all 0 get no places; with one picture all further places are its own") {
  CHECK(EpochPlaces(3, {.weights = {0, 0, 0}, .share = 0.5}).size() == 3);
  CHECK(EpochPlaces(3, {}).size() == 3);
  const EpochPlaces places(3, {.weights = {0, 1'000'000, 0}, .share = 0.5});
  CHECK(places.size() == 6);
  for (std::int64_t i = 3; i < 6; ++i) CHECK(places.at(i, 9).picture == 1);
}

TEST_CASE("lists of other lengths and factors under 1 are refused, so are windows and replays") {
  CHECK_THROWS_WITH_AS(EpochPlaces(3, {.factors = {1, 2}}),
                       "EpochPlaces: repeats that are not of these 3 pictures, or out of range",
                       std::logic_error);
  CHECK_THROWS_AS(EpochPlaces(2, {.factors = {1, 0.5}}), std::logic_error);
  CHECK_THROWS_AS(EpochPlaces(2, {.weights = {1, 1}, .share = 1}), std::logic_error);
  TrainingOrder windowed = repeated(4), replayed = repeated(4);
  windowed.window = {.block = 4};
  replayed.replayed = 2;
  const auto all = pictures(5, 0);
  CHECK_THROWS_WITH_AS(training_sequence(all, windowed, 0, 1),
                       "--sample balanced or --hard-negatives takes pictures from all over the "
                       "store; leave --order window out",
                       Error);
  CHECK_THROWS_WITH_AS(training_sequence(all, replayed, 0, 1),
                       "--sample balanced or --hard-negatives takes pictures from all over the "
                       "store; leave --replay out",
                       Error);
}
