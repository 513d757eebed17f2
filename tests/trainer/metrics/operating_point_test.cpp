#include "trainer/metrics/operating_point.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"
#include "trainer/metrics/coco.h"
#include "trainer/metrics/confusion.h"

using namespace letterpress;

namespace {

/// Class 0: scores .9 right, .6 right and wrong, .3 wrong, of 3 ground truths. Class 1: .5 wrong,
/// .2 right, of 1. Class 2: .8 wrong, of none.
std::vector<ClassVerdicts> three_classes() {
  return judge(
      {{{ground_truth_at(0), ground_truth_at(20), ground_truth_at(40), ground_truth_at(0, 1)},
        {found_at(0, 0.9), found_at(20, 0.6), found_at(70, 0.6), found_at(90, 0.3),
         found_at(70, 0.5, 1), found_at(0, 0.2, 1), found_at(0, 0.8, 2)}}},
      3);
}

}  // namespace

TEST_CASE("precision, recall and F1 at a given confidence by hand, scores that equal it included") {
  const OperatingPoint point = at_confidence(three_classes(), 0.6);
  CHECK(point.confidence == 0.6);
  CHECK(point.classes[0].right == 2);
  CHECK(point.classes[0].wrong == 1);
  CHECK(point.classes[0].precision() == doctest::Approx(2.0 / 3));
  CHECK(point.classes[0].recall() == doctest::Approx(2.0 / 3));
  CHECK(point.classes[0].f1() == doctest::Approx(2.0 / 3));
  CHECK(point.classes[1].f1() == 0);
  CHECK(point.classes[2].wrong ==
        1);  // counted as a false detection, though its class is in no mean
  CHECK(point.precision == doctest::Approx(1.0 / 3));
  CHECK(point.recall == doctest::Approx(1.0 / 3));
  CHECK(point.f1 == doctest::Approx(1.0 / 3));
}

TEST_CASE("all detections of a picture count at a confidence, though COCO's metrics take 100") {
  PictureResult crowded{.ground_truths = {ground_truth_at(0)}, .found = {found_at(0, 0.5)}};
  for (int i = 1; i <= 150; ++i) crowded.found.push_back(found_at(20 * i, 0.9));
  const std::vector<ClassVerdicts> judged = judge({crowded}, 1);
  const OperatingPoint point = at_confidence(judged, 0.5);
  CHECK(point.classes[0].right == 1);
  CHECK(point.classes[0].wrong == 150);
  CHECK(recall_at_precision({&judged[0]}, 1.0 / 151)->recall == 1);
  CHECK(coco_metrics(judged).ap == 0);
  CHECK(coco_metrics(judged).ar100 == 0);
  CHECK(confusion_matrix({crowded}, 1, 0.5).counts == std::vector<std::int64_t>{1, 0, 150, 0});
}

TEST_CASE("the best confidence has the largest mean F1 over the classes, equal scores together") {
  // class 0 alone: .9 2/4, .6 4/6, .3 4/7; both: .9 1/4, .6 1/3, .3 2/7, .2 (4/7 + 2/3)/2
  CHECK(best_confidence({three_classes()[0]}) == 0.6);
  CHECK(best_confidence(three_classes()) == 0.2);
  CHECK_FALSE(best_confidence(judge({{{ground_truth_at(0)}, {found_at(50, 0.9)}}}, 1)));
  CHECK_FALSE(best_confidence({}));
}

TEST_CASE("recall at a wanted precision is the largest that any confidence gives, or nothing") {
  const std::vector<ClassVerdicts> judged = three_classes();
  const auto one = recall_at_precision({&judged[0]}, 0.6);
  REQUIRE(one);
  CHECK(one->recall == doctest::Approx(2.0 / 3));
  CHECK(one->precision == doctest::Approx(2.0 / 3));
  CHECK(one->confidence == 0.6);
  const auto exact = recall_at_precision({&judged[0]}, 1);
  REQUIRE(exact);
  CHECK(exact->recall == doctest::Approx(1.0 / 3));
  CHECK(exact->confidence == 0.9);
  CHECK_FALSE(recall_at_precision({&judged[1]}, 0.95));
  // counted together: .9 right, .8 wrong (of a class without ground truths), .6 right and wrong: 2
  // of 4; then .5 wrong, .3 wrong, .2 right: 3 of 7
  const auto together = recall_at_precision({&judged[0], &judged[1], &judged[2]}, 0.5);
  REQUIRE(together);
  CHECK(together->recall == doctest::Approx(2.0 / 4));
  CHECK(together->confidence == 0.6);
  CHECK(recall_at_precision({&judged[0], &judged[1]}, 0.5)->recall == doctest::Approx(3.0 / 4));
}

TEST_CASE("a precision that falls and rises again is used at its last rise") {
  const auto judged =
      judge({{{ground_truth_at(0), ground_truth_at(20), ground_truth_at(40)},
              {found_at(90, 0.9), found_at(0, 0.8), found_at(20, 0.7), found_at(40, 0.6)}}},
            1);
  const auto found = recall_at_precision({&judged[0]}, 0.7);
  REQUIRE(found);
  CHECK(found->recall == 1);
  CHECK(found->precision == doctest::Approx(0.75));
}

TEST_CASE("what a goal comes to, all classes counted together at one confidence, by hand") {
  // .9 right 1/1, .8 wrong 1/2, .6 right and wrong 2/4, .5 and .3 wrong 2/6, .2 right 3/7; of 4.
  const std::vector<ClassVerdicts> judged = three_classes();
  CHECK(best_of({Goal::Of::recall, 0.5}, judged) == doctest::Approx(2.0 / 4));
  CHECK(best_of({Goal::Of::recall, 0.4}, judged) == doctest::Approx(3.0 / 4));
  CHECK(best_of({Goal::Of::recall, 0.95}, judged) == doctest::Approx(1.0 / 4));
  CHECK(best_of({Goal::Of::precision, 0.25}, judged) == doctest::Approx(1));
  CHECK(best_of({Goal::Of::precision, 0.5}, judged) == doctest::Approx(2.0 / 4));
  CHECK(best_of({Goal::Of::precision, 0.75}, judged) == doctest::Approx(3.0 / 7));
  CHECK(best_of({Goal::Of::precision, 0.8}, judged) == 0);
  CHECK(best_of({Goal::Of::recall, 0.5}, {}) == 0);
}
