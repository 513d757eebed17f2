#include "trainer/metrics/confusion.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

TEST_CASE("confusion by hand: right, taken for another class, missed, found in the background") {
  const std::vector<PictureResult> pictures{
      {{ground_truth_at(0, 0), ground_truth_at(20, 0), ground_truth_at(40, 1),
        ground_truth_at(60, 1)},
       {found_at(0, 0.9, 0), found_at(20, 0.8, 1), found_at(90, 0.7, 1), found_at(60, 0.2, 1)}}};
  const ConfusionMatrix matrix = confusion_matrix(pictures, 2, 0.5);
  // rows: ground truth 0, 1, background; columns: found 0, 1, background
  CHECK(matrix.counts == std::vector<std::int64_t>{1, 1, 0, 0, 0, 2, 0, 1, 0});
  CHECK(confusion_matrix(pictures, 2, 0.1).at(1, 1) == 1);
  CHECK(confusion_matrix({}, 1, 0.5).counts == std::vector<std::int64_t>(4, 0));
}

TEST_CASE(
    "a class is matched by itself first: a better scored detection of another class takes nothing "
    "from it") {
  const ConfusionMatrix matrix = confusion_matrix(
      {{{ground_truth_at(0, 0)}, {found_at(0, 0.9, 1), found_at(1, 0.6, 0)}}}, 2, 0.5);
  CHECK(matrix.at(0, 0) == 1);
  CHECK(matrix.at(2, 1) == 1);  // the rest found nothing
}

TEST_CASE(
    "a second detection of a ground truth is one of the background, and one in a crowd does not "
    "count") {
  const ConfusionMatrix matrix =
      confusion_matrix({{{ground_truth_at(0), crowd_at(50)},
                         {found_at(0, 0.9), found_at(1, 0.8), found_at(50, 0.7)}}},
                       1, 0);
  CHECK(matrix.counts == std::vector<std::int64_t>{1, 0, 1, 0});
}
