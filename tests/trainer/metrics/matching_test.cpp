#include "trainer/metrics/matching.h"

#include <doctest/doctest.h>

#include <limits>

using namespace letterpress;

namespace {

Detection box_at(float x, float score) { return {x, 0, x + 10, 10, score, 0}; }
LabelBox truth_at(float x, std::uint8_t flags = 0) { return {.x1 = x, .y1 = 0, .x2 = x + 10, .y2 = 10, .class_id = 0, .flags = flags}; }

std::vector<Verdict> match_all(const std::vector<Detection>& detections, const std::vector<LabelBox>& truths) {
  std::vector<const Detection*> found;
  std::vector<const LabelBox*> wanted;
  std::vector<char> ignored;
  for (const Detection& detection : detections) found.push_back(&detection);
  for (const LabelBox& truth : truths) {
    wanted.push_back(&truth);
    ignored.push_back((truth.flags & kCrowd) != 0);
  }
  std::vector<Verdict> verdicts;
  match(found, wanted, ignored, verdicts);
  return verdicts;
}

}  // namespace

TEST_CASE("IoU of boxes by hand: half overlapping 1/3, touching 0, crowd by the detection's area") {
  CHECK(overlap(box_at(5, 1), truth_at(0)) == doctest::Approx(50.0 / 150));
  CHECK(overlap(box_at(10, 1), truth_at(0)) == 0);
  CHECK(overlap(box_at(5, 1), truth_at(0, kCrowd)) == doctest::Approx(0.5));
  CHECK(overlap({2, 2, 4, 4, 1, 0}, truth_at(0, kCrowd)) == 1);
}

TEST_CASE("thresholds are numpy's linspace(.5, .95, 10) to the last bit") {
  // python3 -c "import numpy; print([x.hex() for x in numpy.linspace(.5, .95, 10)])"
  const double expected[] = {0x1.0000000000000p-1, 0x1.199999999999ap-1, 0x1.3333333333333p-1, 0x1.4cccccccccccdp-1, 0x1.6666666666666p-1,
                             0x1.8000000000000p-1, 0x1.999999999999ap-1, 0x1.b333333333333p-1, 0x1.cccccccccccccp-1, 0x1.e666666666666p-1};
  for (std::size_t i = 0; i < 10; ++i) CHECK(iou_thresholds()[i] == expected[i]);
}

TEST_CASE("a truth is taken once: the better score gets it, the second detection is wrong") {
  const std::vector<Verdict> verdicts = match_all({box_at(0, 0.5f), box_at(1, 0.9f)}, {truth_at(0)});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].score == 0.9f);
  // IoU 90/110 = .818: right at .5 to .8
  CHECK(verdicts[0].matched == 0b0001111111);
  // the exact box gets the truth only where the better one did not reach
  CHECK(verdicts[1].matched == 0b1110000000);
  CHECK(verdicts[1].ignored == 0);
}

TEST_CASE("each detection takes the truth it overlaps most") {
  const std::vector<Verdict> verdicts = match_all({box_at(2, 0.9f), box_at(0, 0.8f)}, {truth_at(0), truth_at(3)});
  CHECK((verdicts[0].matched & 1) == 1);
  CHECK((verdicts[1].matched & 1) == 1);
}

TEST_CASE("a crowd takes any number of detections, each ignored, and an ordinary truth goes first") {
  const std::vector<Verdict> alone = match_all({box_at(0, 0.9f), box_at(1, 0.8f), box_at(2, 0.7f)}, {truth_at(0, kCrowd)});
  for (const Verdict& verdict : alone) {
    CHECK((verdict.matched & 1) == 1);
    CHECK((verdict.ignored & 1) == 1);
  }
  // the crowd overlaps wholly, the ordinary truth by .818 only, and is taken all the same
  const std::vector<Verdict> both = match_all({box_at(1, 0.9f)}, {truth_at(1, kCrowd), truth_at(0)});
  CHECK((both[0].matched & 1) == 1);
  CHECK((both[0].ignored & 1) == 0);
}

TEST_CASE("equal scores keep the order given, and the 101st detection is not looked at") {
  std::vector<Detection> detections(100, box_at(500, 0.5f));
  detections.push_back(box_at(0, 0.5f));
  std::vector<Verdict> verdicts = match_all(detections, {truth_at(0)});
  REQUIRE(verdicts.size() == 100);
  for (const Verdict& verdict : verdicts) CHECK(verdict.matched == 0);
  detections.back().score = 0.6f;
  verdicts = match_all(detections, {truth_at(0)});
  CHECK(verdicts[0].matched == 0b1111111111);
}

TEST_CASE("a score or a coordinate that is no number ranks last and matches nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Detection shapeless = box_at(0, 0.7f);
  shapeless.x1 = nan;
  const std::vector<Verdict> verdicts = match_all({box_at(0, nan), shapeless, box_at(0, 0.1f)}, {truth_at(0)});
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[0].matched == 0);
  CHECK(verdicts[1].matched == 0b1111111111);
  CHECK(verdicts[2].score == -std::numeric_limits<float>::infinity());
  CHECK(verdicts[2].matched == 0);
}

TEST_CASE("average precision by hand: right, wrong, right of two truths") {
  // precision 1 up to recall 1/2 (points 0...50), 2/3 up to 1 (points 51..100)
  const std::vector<Verdict> verdicts{{0.9f, 1, 0}, {0.8f, 0, 0}, {0.7f, 1, 0}};
  CHECK(average_precision(verdicts, 2, 0) == doctest::Approx((51 + 50 * 2.0 / 3) / 101).epsilon(1e-12));
  CHECK(average_precision(verdicts, 2, 1) == 0);
  // one truth more is never found: recall ends at 2/3, points 0..33 and 34..66
  CHECK(average_precision(verdicts, 3, 0) == doctest::Approx((34 + 33 * 2.0 / 3) / 101).epsilon(1e-12));
  CHECK(average_precision({}, 3, 0) == 0);
}
