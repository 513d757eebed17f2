#include "trainer/metrics/coco.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

namespace {

ClassVerdicts verdicts_of(std::int64_t ground_truths, const std::vector<bool>& right) {
  ClassVerdicts one;
  one.ground_truths[kAllAreas] = ground_truths;
  double score = 1;
  for (const bool is_right : right) {
    Verdict verdict{score -= 0.01};
    verdict.ranges[kAllAreas].matched = is_right;
    one.verdicts.push_back(verdict);
  }
  return one;
}

}  // namespace

TEST_CASE("average precision by hand: right, wrong, right of two ground truths") {
  // precision 1 up to recall 1/2 (points 0...50), 2/3 up to 1 (points 51..100)
  CHECK(average_precision(verdicts_of(2, {true, false, true}), kAllAreas, 0) ==
        doctest::Approx((51 + 50 * 2.0 / 3) / 101).epsilon(1e-12));
  CHECK(average_precision(verdicts_of(2, {true, false, true}), kAllAreas, 1) == 0);
  // one ground truth more is never found: recall ends at 2/3, points 0..33 and 34..66
  CHECK(average_precision(verdicts_of(3, {true, false, true}), kAllAreas, 0) ==
        doctest::Approx((34 + 33 * 2.0 / 3) / 101).epsilon(1e-12));
  CHECK(average_precision(verdicts_of(3, {}), kAllAreas, 0) == 0);
}

TEST_CASE("precision at the recall points by hand, 0 beyond what is found") {
  const auto precisions = precision_at_recalls(verdicts_of(4, {true, false, true}), kAllAreas, 0);
  CHECK(precisions[0] == doctest::Approx(1));
  CHECK(precisions[25] == doctest::Approx(1));  // recall 1/4
  CHECK(precisions[26] == doctest::Approx(2.0 / 3));
  CHECK(precisions[50] == doctest::Approx(2.0 / 3));
  CHECK(precisions[51] == 0);
}

TEST_CASE("average recall counts the 1, 10 and 100 best detections of a picture and class") {
  PictureResult picture;
  for (int i = 0; i < 20; ++i) {
    picture.ground_truths.push_back(ground_truth_at(20 * i));
    picture.found.push_back(found_at(20 * i, 1 - 0.01 * i));
  }
  const CocoMetrics metrics = coco_metrics(judge({picture}, 1));
  CHECK(metrics.ar1 == doctest::Approx(1.0 / 20));
  CHECK(metrics.ar10 == doctest::Approx(0.5));
  CHECK(metrics.ar100 == doctest::Approx(1));
  CHECK(metrics.ap == doctest::Approx(1));
  CHECK(metrics.classes[0].ar100 == doctest::Approx(1));
}

TEST_CASE(
    "small, medium and large are means over the classes with a ground truth of that range, -1 "
    "where no "
    "class has one") {
  GroundTruth medium = ground_truth_at(0, 1);
  medium.area = 50 * 50;
  const CocoMetrics metrics =
      coco_metrics(judge({{{ground_truth_at(0), medium}, {found_at(0, 0.9)}}}, 3));
  CHECK(metrics.ap_small == doctest::Approx(1));
  CHECK(metrics.ap_medium == 0);
  CHECK(metrics.ap_large == -1);
  CHECK(metrics.ar_small == doctest::Approx(1));
  CHECK(metrics.ar_medium == 0);
  CHECK(metrics.ar_large == -1);
  CHECK(metrics.ap == doctest::Approx(0.5));
  CHECK(metrics.classes[2].ground_truths == 0);
  CHECK(metrics.classes[2].ap == -1);
}

TEST_CASE("without any ground truth all twelve are -1") {
  const CocoMetrics metrics = coco_metrics(judge({{{crowd_at(0)}, {found_at(0, 0.9)}}}, 1));
  for (const double metric : {metrics.ap, metrics.ap50, metrics.ap75, metrics.ap_small,
                              metrics.ap_medium, metrics.ap_large, metrics.ar1, metrics.ar10,
                              metrics.ar100, metrics.ar_small, metrics.ar_medium, metrics.ar_large})
    CHECK(metric == -1);
}
