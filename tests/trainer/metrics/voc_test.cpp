#include "trainer/metrics/voc.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

TEST_CASE("VOC by hand: right, wrong, right of four ground truths") {
  // precision 1 at recall 1/4, 2/3 at 1/2. 11 points: 0, .1, .2 at 1; .3, .4, .5 at 2/3. Area: 1/4
  // + 1/4 * 2/3
  const VocMetrics metrics = voc_metrics(
      {{{ground_truth_at(0), ground_truth_at(20), ground_truth_at(40), ground_truth_at(60)},
        {found_at(0, 0.9), found_at(90, 0.8), found_at(20, 0.7)}}},
      1);
  CHECK(metrics.ap11 == doctest::Approx(5.0 / 11).epsilon(1e-12));
  CHECK(metrics.ap == doctest::Approx(5.0 / 12).epsilon(1e-12));
  CHECK(metrics.classes[0].ground_truths == 4);
}

TEST_CASE(
    "finding a difficult ground truth or a crowd is neither right nor wrong, any number of times") {
  for (const GroundTruth& aside : {difficult_at(50), crowd_at(50)}) {
    const VocMetrics metrics =
        voc_metrics({{{ground_truth_at(0), aside},
                      {found_at(50, 0.9), found_at(50, 0.8), found_at(51, 0.7), found_at(0, 0.6)}}},
                    1);
    CHECK(metrics.classes[0].ground_truths == 1);
    CHECK(metrics.ap == 1);
    CHECK(metrics.ap11 == doctest::Approx(1));
  }
}

TEST_CASE(
    "unlike COCO, a detection is compared only with the ground truth it overlaps most: taken "
    "already is wrong") {
  // the second detection would fit the ground truth at 3 well enough, but lies nearer to the one at
  // 0
  const VocMetrics metrics = voc_metrics(
      {{{ground_truth_at(0), ground_truth_at(3)}, {found_at(0, 0.9), found_at(1, 0.8)}}}, 1);
  CHECK(metrics.ap == doctest::Approx(0.5));
}

TEST_CASE("equal scores count in the detections' own order, whatever pictures they are of") {
  // VOCevaldet sorts the lines of one file: the second picture's stands first there. Then a right
  // one comes before a wrong one: precision 1 at recall 1. By pictures it would be 1/2.
  Found wrong = found_at(50, 0.5), right = found_at(0, 0.5);
  wrong.order = 1, right.order = 0;
  const std::vector<PictureResult> pictures{{{}, {wrong}}, {{ground_truth_at(0)}, {right}}};
  CHECK(voc_metrics(pictures, 1).ap == 1);
  wrong.order = 0, right.order = 1;
  CHECK(voc_metrics({{{}, {wrong}}, {{ground_truth_at(0)}, {right}}}, 1).ap == 0.5);
}

TEST_CASE("a recall of exactly 3/10 reaches the point .3") {
  PictureResult picture;
  for (int i = 0; i < 10; ++i) picture.ground_truths.push_back(ground_truth_at(20 * i));
  for (int i = 0; i < 3; ++i) picture.found.push_back(found_at(20 * i, 0.9));
  CHECK(voc_metrics({picture}, 1).ap11 == doctest::Approx(4.0 / 11).epsilon(1e-12));
}

TEST_CASE(
    "classes without ground truth count in no VOC mean; without any it is -1; another IoU may be "
    "given") {
  const std::vector<PictureResult> pictures{
      {{ground_truth_at(0)}, {found_at(4, 0.9), found_at(0, 0.8, 1)}}};
  CHECK(voc_metrics(pictures, 2).ap == 0);  // IoU 60/140
  CHECK(voc_metrics(pictures, 2, 0.4).ap == 1);
  CHECK(voc_metrics(pictures, 2).classes[1].ap == -1);
  CHECK(voc_metrics({{{difficult_at(0)}, {}}}, 1).ap == -1);
  CHECK(voc_metrics({}, 1).ap11 == -1);
}
