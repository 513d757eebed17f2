#include "trainer/metrics/detection_metrics.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <stdexcept>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

TEST_CASE("all found and nothing else is 1 in every metric") {
  const DetectionMetrics metrics = evaluate_detections(
      {{{ground_truth_at(0), ground_truth_at(50, 1)}, {found_at(0, 0.9), found_at(50, 0.4, 1)}}},
      2);
  CHECK(metrics.map == doctest::Approx(1));
  CHECK(metrics.map50 == doctest::Approx(1));
  CHECK(metrics.map75 == doctest::Approx(1));
  CHECK(metrics.precision == 1);
  CHECK(metrics.recall == 1);
  CHECK(metrics.best_confidence == doctest::Approx(0.4));
}

TEST_CASE("a class without ground truth counts in no mean, whatever was found of it") {
  const DetectionMetrics metrics =
      evaluate_detections({{{ground_truth_at(0)}, {found_at(0, 0.9), found_at(50, 0.95, 2)}}}, 3);
  CHECK(metrics.map == doctest::Approx(1));
  CHECK(metrics.precision == 1);
  CHECK(metrics.classes[0].ground_truths == 1);
  for (const std::size_t c : {1, 2}) {
    CHECK(metrics.classes[c].ground_truths == 0);
    CHECK(metrics.classes[c].ap == -1);
    CHECK(metrics.classes[c].ap50 == -1);
  }
}

TEST_CASE("a class that is not found at all counts as 0") {
  const DetectionMetrics metrics =
      evaluate_detections({{{ground_truth_at(0), ground_truth_at(50, 1)}, {found_at(0, 0.9)}}}, 2);
  CHECK(metrics.map == doctest::Approx(0.5));
  CHECK(metrics.precision == doctest::Approx(0.5));
  CHECK(metrics.recall == doctest::Approx(0.5));
}

TEST_CASE("without any ground truth the means are -1, without any detection 0") {
  const DetectionMetrics nothing = evaluate_detections({}, 2);
  CHECK(nothing.map == -1);
  CHECK(nothing.map50 == -1);
  CHECK(nothing.map75 == -1);
  CHECK(nothing.precision == 0);
  CHECK(nothing.classes.size() == 2);
  const DetectionMetrics blind = evaluate_detections({{{ground_truth_at(0)}, {}}}, 1);
  CHECK(blind.map == 0);
  CHECK(blind.recall == 0);
  CHECK(blind.best_confidence == 0);
}

TEST_CASE("a crowd need not be found, and a detection in it is not a mistake") {
  const std::vector<PictureResult> pictures{
      {{ground_truth_at(0), crowd_at(100)},
       {found_at(0, 0.5), found_at(100, 0.9), found_at(101, 0.8)}}};
  const DetectionMetrics metrics = evaluate_detections(pictures, 1);
  CHECK(metrics.classes[0].ground_truths == 1);
  CHECK(metrics.map50 == doctest::Approx(1));
  CHECK(metrics.precision == 1);
  CHECK(metrics.recall == 1);
}

TEST_CASE("a difficult ground truth is an ordinary one") {
  const DetectionMetrics metrics =
      evaluate_detections({{{difficult_at(0), ground_truth_at(50)}, {found_at(50, 0.9)}}}, 1);
  CHECK(metrics.classes[0].ground_truths == 2);
  CHECK(metrics.recall == doctest::Approx(0.5));
}

TEST_CASE(
    "precision and recall are those of the confidence with the best mean F1, equal scores "
    "together") {
  // scores .9 right, .6 right and wrong, .3 wrong, of 3 ground truths: F1 2/4, 4/6, 4/7
  const DetectionMetrics metrics = evaluate_detections(
      {{{ground_truth_at(0), ground_truth_at(20), ground_truth_at(40)},
        {found_at(0, 0.9), found_at(20, 0.6), found_at(70, 0.6), found_at(90, 0.3)}}},
      1);
  CHECK(metrics.best_confidence == doctest::Approx(0.6));
  CHECK(metrics.precision == doctest::Approx(2.0 / 3));
  CHECK(metrics.recall == doctest::Approx(2.0 / 3));
  CHECK(metrics.classes[0].precision == doctest::Approx(2.0 / 3));
}

TEST_CASE("one confidence serves all classes") {
  // class 0 is best cut at .9, class 1 at .2: the mean F1 is 1/2 at .9, (2/3 + 1)/2 at .2
  const DetectionMetrics metrics =
      evaluate_detections({{{ground_truth_at(0), ground_truth_at(50, 1)},
                            {found_at(0, 0.9), found_at(70, 0.5), found_at(50, 0.2, 1)}}},
                          2);
  CHECK(metrics.best_confidence == doctest::Approx(0.2));
  CHECK(metrics.classes[0].precision == doctest::Approx(0.5));
  CHECK(metrics.classes[1].precision == 1);
  CHECK(metrics.precision == doctest::Approx(0.75));
}

TEST_CASE("NaN scores of a diverged model break nothing") {
  PictureResult picture{{ground_truth_at(0)}, {}};
  for (int i = 0; i < 50; ++i)
    picture.found.push_back(found_at(i, i % 2 ? std::numeric_limits<double>::quiet_NaN() : 0.5));
  const DetectionMetrics metrics = evaluate_detections({picture, picture}, 1);
  CHECK(metrics.map50 > 0);
  CHECK(metrics.map50 < 1);
}

TEST_CASE("a class that does not exist is named with its picture") {
  CHECK_THROWS_WITH_AS(evaluate_detections({{}, {{}, {found_at(0, 1, 7)}}}, 3),
                       "picture 1: a detection of class 7, there are 3 classes", std::logic_error);
  CHECK_THROWS_WITH_AS(evaluate_detections({{{ground_truth_at(0, -1)}, {}}}, 3),
                       "picture 0: a ground truth of class -1, there are 3 classes",
                       std::logic_error);
}

TEST_CASE("5,000 pictures with 100 detections each take no more than seconds") {
  std::vector<PictureResult> pictures(5000);
  std::uint64_t state = 1;
  const auto draw = [&](int n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
  };
  for (PictureResult& picture : pictures) {
    for (int i = 0; i < 8; ++i)
      picture.ground_truths.push_back(ground_truth_at(draw(600), draw(80)));
    for (int i = 0; i < 100; ++i) {
      const GroundTruth& near = picture.ground_truths[static_cast<std::size_t>(draw(8))];
      picture.found.push_back(found_at(near.box.x + draw(5), draw(1000) / 1000.0, near.class_id));
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const DetectionMetrics metrics = evaluate_detections(pictures, 80);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  MESSAGE("5,000 pictures: " << took.count() << " s");
  CHECK(metrics.map50 > 0.1);
  CHECK(took.count() < 30);  // a quadratic slip takes minutes; a busy machine does not take so long
}
