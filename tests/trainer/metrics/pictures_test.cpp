#include "trainer/metrics/pictures.h"

#include <doctest/doctest.h>

#include "tests/trainer/metrics/boxes.h"

using namespace letterpress;

TEST_CASE("a picture with any defect is found or missed, one without is falsely flagged or clean") {
  const std::vector<PictureResult> pictures{
      {{ground_truth_at(0)}, {found_at(0, 0.9)}},  // found
      {{ground_truth_at(0)},
       {found_at(90, 0.5)}},  // flagged elsewhere: the picture counts as flagged
      {{ground_truth_at(0)}, {found_at(0, 0.4)}},  // missed: too low
      {{crowd_at(0)}, {}},                         // missed: a crowd of defects is a defect
      {{}, {found_at(0, 0.7)}},                    // falsely flagged
      {{}, {found_at(0, 0.1)}},
      {{}, {}},
      {{}, {}, 1},  // missed: its defect was not looked at
  };
  const PictureTable table = picture_table(pictures, 0.5);
  CHECK(table.found == 2);
  CHECK(table.missed == 3);
  CHECK(table.falsely_flagged == 1);
  CHECK(table.clean == 2);
  CHECK(table.pictures() == 8);
  CHECK(picture_table(pictures, 0).falsely_flagged == 2);
  CHECK(picture_table({}, 0.5).pictures() == 0);
}
