#include "trainer/metrics/matching.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

TEST_CASE("IoU of boxes by hand: half overlapping 1/3, touching 0, crowd by the detection's area") {
  CHECK(overlap(found_at(5, 1), ground_truth_at(0)) == doctest::Approx(50.0 / 150));
  CHECK(overlap(found_at(10, 1), ground_truth_at(0)) == 0);
  CHECK(overlap(found_at(5, 1), crowd_at(0)) == doctest::Approx(0.5));
  CHECK(overlap({{2, 2, 2, 2}, 0, 1}, crowd_at(0)) == 1);
}

TEST_CASE("thresholds are numpy's linspace(.5, .95, 10) to the last bit") {
  // python3 -c "import numpy; print([x.hex() for x in numpy.linspace(.5, .95, 10)])"
  const double expected[] = {0x1.0000000000000p-1, 0x1.199999999999ap-1, 0x1.3333333333333p-1,
                             0x1.4cccccccccccdp-1, 0x1.6666666666666p-1, 0x1.8000000000000p-1,
                             0x1.999999999999ap-1, 0x1.b333333333333p-1, 0x1.cccccccccccccp-1,
                             0x1.e666666666666p-1};
  for (std::size_t i = 0; i < 10; ++i) CHECK(iou_thresholds()[i] == expected[i]);
}

TEST_CASE(
    "a ground truth is taken once, of equal overlaps the later one; a crowd any number of times; "
    "an ignored ground truth last") {
  const GroundTruth a = ground_truth_at(0), b = ground_truth_at(0), crowd = crowd_at(0);
  const std::vector<const GroundTruth*> ground_truths{&crowd, &a, &b};
  Matching matching(ground_truths,
                    [](const GroundTruth& ground_truth) { return ground_truth.crowd; });
  const std::vector<double> overlaps{1, 0.8, 0.8};
  CHECK(matching.take(overlaps, 0.5) == 2);
  CHECK(matching.take(overlaps, 0.5) == 1);
  CHECK(matching.take(overlaps, 0.5) == 0);
  CHECK(matching.take(overlaps, 0.5) == 0);
  CHECK(matching.ignored(0));
  CHECK_FALSE(matching.ignored(1));
  matching.free_all();
  CHECK_FALSE(matching.taken(1));
  CHECK(matching.take(overlaps, 0.85) == 0);
  CHECK(matching.take(std::vector<double>{0, 0.5, 0.6}, 0.5) == 2);
  CHECK(matching.take(std::vector<double>{0, 0.5, 0.6}, 0.55) == -1);
}

TEST_CASE("an ignored ground truth that is not a crowd is taken once") {
  const GroundTruth far = ground_truth_at(0);
  const std::vector<const GroundTruth*> ground_truths{&far};
  Matching matching(ground_truths, [](const GroundTruth&) { return true; });
  CHECK(matching.take(std::vector<double>{1.0}, 0.5) == 0);
  CHECK(matching.take(std::vector<double>{1.0}, 0.5) == -1);
}
