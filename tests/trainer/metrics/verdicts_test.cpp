#include "trainer/metrics/verdicts.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

namespace {

std::vector<Verdict> judge_one(const std::vector<Found>& found,
                               const std::vector<GroundTruth>& ground_truths) {
  return judge({{ground_truths, found}}, 1).at(0).verdicts;
}
const Verdict::InRange& all(const Verdict& verdict) { return verdict.ranges[kAllAreas]; }

GroundTruth with_area(GroundTruth ground_truth, double area) {
  ground_truth.area = area;
  return ground_truth;
}

}  // namespace

TEST_CASE("the better score gets the ground truth, the second detection is wrong") {
  const std::vector<Verdict> verdicts =
      judge_one({found_at(0, 0.5), found_at(1, 0.9)}, {ground_truth_at(0)});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].score == 0.9);
  // IoU 90/110 = .818: right at .5 to .8
  CHECK(all(verdicts[0]).matched == 0b0001111111);
  // the exact box gets the ground truth only where the better one did not reach
  CHECK(all(verdicts[1]).matched == 0b1110000000);
  CHECK(all(verdicts[1]).ignored == 0);
  CHECK(verdicts[0].right(kAllAreas, 0));
  CHECK(verdicts[1].wrong(kAllAreas, 0));
}

TEST_CASE("each detection takes the ground truth it overlaps most") {
  const std::vector<Verdict> verdicts =
      judge_one({found_at(2, 0.9), found_at(0, 0.8)}, {ground_truth_at(0), ground_truth_at(3)});
  CHECK(verdicts[0].right(kAllAreas, 0));
  CHECK(verdicts[1].right(kAllAreas, 0));
}

TEST_CASE(
    "a crowd takes any number of detections, each ignored, and an ordinary ground truth goes "
    "first") {
  for (const Verdict& verdict :
       judge_one({found_at(0, 0.9), found_at(1, 0.8), found_at(2, 0.7)}, {crowd_at(0)})) {
    CHECK((all(verdict).matched & 1) == 1);
    CHECK((all(verdict).ignored & 1) == 1);
    CHECK_FALSE(verdict.right(kAllAreas, 0));
    CHECK_FALSE(verdict.wrong(kAllAreas, 0));
  }
  // the crowd overlaps wholly, the ordinary ground truth by .818 only, and is still taken
  CHECK(judge_one({found_at(1, 0.9)}, {crowd_at(1), ground_truth_at(0)})[0].right(kAllAreas, 0));
}

TEST_CASE("equal scores keep the order given, and the 101st detection is told by its rank") {
  std::vector<Found> found(100, found_at(500, 0.5));
  found.push_back(found_at(0, 0.5));
  std::vector<Verdict> verdicts = judge_one(found, {ground_truth_at(0)});
  REQUIRE(verdicts.size() == 101);
  for (const Verdict& verdict : verdicts)
    CHECK(all(verdict).matched == (verdict.rank == 100 ? 0b1111111111 : 0));
  found.back().score = 0.6;
  verdicts = judge_one(found, {ground_truth_at(0)});
  CHECK(all(verdicts[0]).matched == 0b1111111111);
  CHECK(verdicts[99].rank == 99);
}

TEST_CASE("a NaN score or coordinate ranks last and matches nothing") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Found shapeless = found_at(0, 0.7);
  shapeless.box.x = nan;
  const std::vector<Verdict> verdicts =
      judge_one({found_at(0, nan), shapeless, found_at(0, 0.1)}, {ground_truth_at(0)});
  REQUIRE(verdicts.size() == 3);
  CHECK(all(verdicts[0]).matched == 0);
  CHECK(all(verdicts[1]).matched == 0b1111111111);
  CHECK(verdicts[2].score == -std::numeric_limits<double>::infinity());
  CHECK(all(verdicts[2]).matched == 0);
}

TEST_CASE(
    "a ground truth's stated area gives its range, whatever its box; both ends belong to a range") {
  // 10 x 10 pixels each, stated otherwise
  const auto judged =
      judge({{{with_area(ground_truth_at(0), 1023), with_area(ground_truth_at(20), 1024),
               with_area(ground_truth_at(40), 9216)},
              {}}},
            1);
  CHECK(judged[0].ground_truths == std::array<std::int64_t, 4>{3, 2, 2, 1});
}

TEST_CASE(
    "a detection out of a range is wrong there only by what it takes: nothing is ignored, a ground "
    "truth of the range is right") {
  // both are 10 x 10, small; the ground truth that the first takes is stated as large
  const std::vector<Verdict> verdicts =
      judge_one({found_at(0, 0.9), found_at(50, 0.8)}, {with_area(ground_truth_at(0), 10000)});
  CHECK(verdicts[0].right(kLarge, 0));
  CHECK_FALSE(verdicts[0].right(kSmall, 0));
  CHECK_FALSE(verdicts[0].wrong(kSmall, 0));
  CHECK(verdicts[1].wrong(kSmall, 0));
  CHECK_FALSE(verdicts[1].wrong(kLarge, 0));
  CHECK(verdicts[1].wrong(kAllAreas, 0));
}

TEST_CASE("a class that does not exist is named with its picture") {
  CHECK_THROWS_WITH_AS(judge({{}, {{}, {found_at(0, 1, 7)}}}, 3),
                       "picture 1: a detection of class 7, there are 3 classes", std::logic_error);
  CHECK_THROWS_WITH_AS(judge({{{ground_truth_at(0, -1)}, {}}}, 3),
                       "picture 0: a ground truth of class -1, there are 3 classes",
                       std::logic_error);
}
