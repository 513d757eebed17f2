#include "trainer/metrics/promise.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

namespace {

/// A picture with `objects` of class 0, all found with `score`.
PictureResult picture_with(int objects, double score) {
  PictureResult picture;
  for (int i = 0; i < objects; ++i) {
    picture.ground_truths.push_back(ground_truth_at(20 * i));
    picture.found.push_back(found_at(20 * i, score));
  }
  return picture;
}

/// The share of the objects of `pictures` that is found at `confidence`.
double recall_at(const std::vector<PictureResult>& pictures, double confidence) {
  double objects = 0, found = 0;
  for (const PictureResult& picture : pictures) {
    objects += static_cast<double>(picture.ground_truths.size());
    for (const Found& one : picture.found) found += one.score >= confidence;
  }
  return found / objects;
}

/// Pictures of 1 to 9 objects; those of a hard picture have low scores together.
std::vector<PictureResult> drawn_pictures(int n, std::mt19937& random) {
  std::vector<PictureResult> pictures;
  for (int i = 0; i < n; ++i) {
    const auto uniform = [&] { return std::uniform_real_distribution<>()(random); };
    const double ease = std::sqrt(uniform());
    PictureResult& picture = pictures.emplace_back();
    const int objects = 1 + static_cast<int>(9 * uniform());
    for (int k = 0; k < objects; ++k) {
      picture.ground_truths.push_back(ground_truth_at(20 * k));
      picture.found.push_back(found_at(20 * k, ease * std::sqrt(uniform())));
    }
  }
  return pictures;
}

}  // namespace

TEST_CASE("allowed misses are those of the hypergeometric distribution in exact fractions") {
  // python: P(n, d, c) = sum(comb(n, k) * comb(n, d - k) for k <= c) / comb(2 * n, d) as Fraction;
  // the largest c with P(n, floor((1 - recall) * n) + 1 + c, c) <= 1 - probability
  CHECK(allowed_misses(100, {0.95, 0.95}) == 0);
  CHECK(allowed_misses(100, {0.9, 0.95}) == 3);
  CHECK(allowed_misses(1500, {0.98, 0.95}) == 18);
  CHECK(allowed_misses(1500, {0.98, 0.99}) == 14);
  CHECK(allowed_misses(200, {0.98, 0.95}) == 0);
  CHECK(allowed_misses(199, {0.98, 0.95}) == -1);
  CHECK(allowed_misses(10, {0.5, 0.9}) == 2);
  // Promises of less than half, too.
  const std::pair<double, std::int64_t> of_171[] = {{0.05, 154}, {0.1, 142}, {0.2, 123},
                                                    {0.3, 104},  {0.4, 86},  {0.5, 69},
                                                    {0.6, 53},   {0.7, 37},  {0.9, 8}};
  for (const auto& [recall, allowed] : of_171) {
    CAPTURE(recall);
    CHECK(allowed_misses(171, {recall, 0.95}) == allowed);
  }
  CHECK(allowed_misses(10, {0.05, 0.9}) == 6);
  CHECK(allowed_misses(0.8, {0.25, 0.95}) == -1);  // less than one independent object
  CHECK(allowed_misses(257, {0.3, 0.95}) == 161);
  CHECK(allowed_misses(36000, {0.9, 0.95}) == 3468);  // in doubles, by math.fsum
}

TEST_CASE("one object per picture: the confidence of the last object that may not be missed") {
  std::vector<PictureResult> pictures;
  for (int i = 0; i < 400; ++i) pictures.push_back(picture_with(1, (i + 1) / 400.0));
  const PromiseResult result = keep_promise(pictures, 1, {0.95, 0.95});
  REQUIRE(result.kept);
  // Exact fractions as above allow 10 of 400; in expectation 0.05 * 400 - 0.95 = 19.05.
  CHECK(result.kept->allowed == 10);
  CHECK(result.kept->missed == 10);
  CHECK(result.kept->confidence == 11 / 400.0);
  CHECK(result.kept->objects == 400);
  CHECK(result.kept->objects_per_draw == 1);
}

TEST_CASE("the fullest picture counts: one more like it must not break the expectation") {
  // 0.2 * 101 - 0.8 * 20 = 4.2 in expectation; the hypergeometric bound alone allows more.
  std::vector<PictureResult> pictures{picture_with(20, 0.99)};
  for (int i = 0; i < 81; ++i) pictures.push_back(picture_with(1, (i + 1) / 100.0));
  const PromiseResult result = keep_promise(pictures, 1, {0.8, 0.95});
  REQUIRE(result.kept);
  CHECK(result.kept->allowed == 4);
  CHECK(result.kept->missed == 4);
}

TEST_CASE("objects that are missed together count as fewer") {
  // All four of a picture or none: the design effect is 4, by hand; with its standard error 400
  // objects are 87 draws, of which exact fractions allow 9: 41.1 objects, in fours.
  std::vector<PictureResult> pictures;
  for (int i = 0; i < 100; ++i) pictures.push_back(picture_with(4, (i + 1) / 100.0));
  const PromiseResult together = keep_promise(pictures, 1, {0.8, 0.95});
  REQUIRE(together.kept);
  CHECK(together.kept->objects_per_draw == doctest::Approx(4 * (1 + std::sqrt(2 / 99.0))));
  CHECK(together.kept->missed == 40);
}

TEST_CASE("false detections: their mean and Wilson's interval by hand") {
  std::vector<PictureResult> pictures;
  for (int i = 0; i < 100; ++i) {
    pictures.push_back(picture_with(1, 0.9));
    if (i < 9) pictures.back().found.push_back(found_at(500, 0.95));
  }
  const PromiseResult result = keep_promise(pictures, 1, {0.9, 0.95});
  REQUIRE(result.kept);
  CHECK(result.kept->confidence == 0.9);
  CHECK(result.kept->false_per_picture == doctest::Approx(0.09));
  // 9 + 1.96^2 / 2 -+ 1.96 * sqrt(9 + 1.96^2 / 4) = 10.9207 -+ 6.1857
  CHECK(result.kept->false_low == doctest::Approx(0.047351).epsilon(0.0001));
  CHECK(result.kept->false_high == doctest::Approx(0.171064).epsilon(0.0001));
}

TEST_CASE("too few objects: how many it takes; too many missed: what may be promised") {
  const std::vector<PictureResult> few(20, picture_with(1, 0.9));
  const PromiseResult small = keep_promise(few, 1, {0.98, 0.95});
  CHECK_FALSE(small.kept);
  CHECK(small.broken.objects == 20);
  CHECK(small.broken.objects_needed == 200);  // allowed_misses(199) is -1, of 200 it is 0
  std::vector<PictureResult> missed(400, picture_with(1, 0.9));
  for (std::size_t i = 0; i < 40; ++i) missed[i].found.clear();
  const PromiseResult many = keep_promise(missed, 1, {0.98, 0.95});
  CHECK_FALSE(many.kept);
  CHECK(many.broken.missed == 40);
  CHECK(many.broken.objects_needed == 200);
  REQUIRE(many.broken.recall_at_most > 0.8);
  CHECK(keep_promise(missed, 1, {many.broken.recall_at_most, 0.95}).kept);
  CHECK_FALSE(keep_promise(missed, 1, {many.broken.recall_at_most + 0.001, 0.95}).kept);
  CHECK_FALSE(keep_promise({}, 1, {0.5, 0.95}).kept);
}

TEST_CASE("objects that nothing looked at are missed at every confidence") {
  std::vector<PictureResult> pictures(400, picture_with(1, 0.9));
  for (std::size_t i = 0; i < 40; ++i) pictures[i].unseen = 1;
  const PromiseResult result = keep_promise(pictures, 1, {0.98, 0.95});
  CHECK_FALSE(result.kept);
  CHECK(result.broken.objects == 440);
  CHECK(result.broken.missed == 40);
}

TEST_CASE("two pictures, one missed whole: under one independent object, nothing is promised") {
  std::vector<PictureResult> two(2, picture_with(10, 0.9));
  two.back().found.clear();
  for (const double recall : {0.05, 0.3, 0.9}) {
    CAPTURE(recall);
    const PromiseResult result = keep_promise(two, 1, {recall, 0.95});
    CHECK_FALSE(result.kept);
    CHECK(result.broken.objects == 20);
    CHECK(result.broken.missed == 10);
    CHECK(result.broken.recall_at_most == 0);
  }
}

TEST_CASE("drawn anew 500 times, the promise holds in at least 95 of 100 second samples") {
  std::mt19937 random(7);
  int held = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<PictureResult> pictures = drawn_pictures(500, random);
    const std::span<const PictureResult> all(pictures);
    const PromiseResult result = keep_promise(all.first(250), 1, {0.9, 0.95});
    REQUIRE(result.kept);
    held += recall_at({pictures.begin() + 250, pictures.end()}, result.kept->confidence) >= 0.9;
  }
  CHECK(held >= 465);  // 475 are 95 %, two standard errors are 10
  MESSAGE(held << " of 500");
}
