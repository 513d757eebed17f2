#include "letterpress/shards/anchors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "letterpress/base/error.h"

using namespace letterpress;

namespace {

using Sizes = std::vector<std::array<float, 2>>;
using Anchors = std::vector<std::array<double, 2>>;

// Three clusters of five, far apart; the median of each is its middle element.
Sizes three_clusters() {
  Sizes sizes;
  for (const auto& [width, height] : Sizes{{100, 50}, {10, 12}, {30, 200}}) {
    for (const float step : {-2.F, 1.F, 0.F, 2.F, -1.F})
      sizes.push_back({width + step, height + step});
  }
  return sizes;
}

}  // namespace

TEST_CASE("clusters far apart are found whatever the seed, by area ascending, at their medians") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(kmeans_anchors(three_clusters(), 3, seed) == Anchors{{10, 12}, {100, 50}, {30, 200}});
  }
}

TEST_CASE("the same seed gives the same anchors") {
  Sizes sizes;
  for (int i = 1; i < 200; ++i)
    sizes.push_back({static_cast<float>(i * 37 % 101 + 1), static_cast<float>(i * 53 % 97 + 1)});
  CHECK(kmeans_anchors(sizes, 9, 5) == kmeans_anchors(sizes, 9, 5));
  CHECK(kmeans_anchors(sizes, 9, 5).size() == 9);
}

TEST_CASE("an even number of sizes has the mean of its two middle ones as median") {
  CHECK(kmeans_anchors(Sizes{{10, 20}, {12, 24}}, 1) == Anchors{{11, 22}});
}

TEST_CASE("fewer sizes than anchors are repeated") {
  const Anchors anchors = kmeans_anchors(Sizes{{8, 8}, {64, 32}, {8, 8}}, 5);
  REQUIRE(anchors.size() == 5);
  CHECK(anchors.front() == std::array<double, 2>{8, 8});
  CHECK(anchors.back() == std::array<double, 2>{64, 32});
  for (const auto& anchor : anchors) CHECK((anchor == anchors.front() || anchor == anchors.back()));
}

double iou(const std::array<float, 2>& size, const std::array<double, 2>& anchor) {
  const double inside = std::min(double{size[0]}, anchor[0]) * std::min(double{size[1]}, anchor[1]);
  return inside / (double{size[0]} * size[1] + anchor[0] * anchor[1] - inside);
}

double median(std::vector<float> values) {
  std::ranges::sort(values);
  return (double{values[(values.size() - 1) / 2]} + values[values.size() / 2]) / 2;
}

TEST_CASE(
    "each anchor is the median of the sizes that it is the best for, however many rounds that "
    "takes") {
  Sizes sizes;
  std::mt19937 engine(3);
  for (int i = 0; i < 5000; ++i)
    sizes.push_back({static_cast<float>(engine() % 4000 + 40) / 10,
                     static_cast<float>(engine() % 4000 + 40) / 10});
  const Anchors anchors = kmeans_anchors(sizes, 9);
  std::vector<std::array<std::vector<float>, 2>> owned(anchors.size());
  for (const auto& size : sizes) {
    const auto best = std::ranges::max_element(
        anchors, {}, [&](const auto& anchor) { return iou(size, anchor); });
    for (std::size_t side = 0; side < 2; ++side)
      owned[static_cast<std::size_t>(best - anchors.begin())][side].push_back(size[side]);
  }
  for (std::size_t c = 0; c < anchors.size(); ++c) {
    CAPTURE(c);
    REQUIRE_FALSE(owned[c][0].empty());
    for (std::size_t side = 0; side < 2; ++side)
      CHECK(median(owned[c][side]) == doctest::Approx(anchors[c][side]).epsilon(1e-3));
  }
}

TEST_CASE("no anchor is wasted on another's place, however often one size occurs") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    std::vector<std::array<float, 2>> sizes(500, {20, 25});
    for (int i = 0; i < 60; ++i)
      sizes.push_back({20 + static_cast<float>(i * seed % 7), 25 + static_cast<float>(i % 3)});
    for (int i = 0; i < 20; ++i) sizes.push_back({60 + static_cast<float>(i), 50});
    const auto anchors = kmeans_anchors(sizes, 6, seed);
    CHECK(std::set(anchors.begin(), anchors.end()).size() == 6);
  }
}

TEST_CASE(
    "boxes without an area or with no number are left out, and without any there is no result") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(kmeans_anchors(Sizes{{0, 5}, {7, 9}, {nan, 3}, {-4, -4}, {1e-30F, 1e-30F}, {1e30F, 1e30F}},
                       1) == Anchors{{7, 9}});
  CHECK_THROWS_WITH_AS(kmeans_anchors(Sizes{{0, 5}}, 9),
                       "anchors: none of 1 boxes has an area, so there is nothing to cluster",
                       Error);
}

TEST_CASE("mean best IoU by hand") {
  // 10x10 against 10x20: 100 / 200; against 5x5: 25 / 100. 10x20 against itself: 1. Mean of .5
  // and 1.
  CHECK(mean_best_iou(Sizes{{10, 10}, {10, 20}}, Anchors{{10, 20}, {5, 5}}) ==
        doctest::Approx(0.75));
  CHECK_THROWS_AS(mean_best_iou(Sizes{{1, 1}}, Anchors{}), Error);
}
