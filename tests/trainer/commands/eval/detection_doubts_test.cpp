#include "trainer/commands/eval/detection_doubts.h"

#include <doctest/doctest.h>

#include "tests/contains.h"

using namespace letterpress;

namespace {

const CocoGroundTruth kGroundTruth{.images = {{1, "a.jpg", 640, 480}, {2, "b.jpg", 0, 0}}};

std::string doubts_of(const std::vector<CocoResult>& found) {
  std::string text;
  for (const std::string& doubt : detection_doubts(kGroundTruth, found)) text += doubt + "\n";
  return text;
}

CocoResult at(const CocoBox& box, double score = 0.5) {
  return {.image_id = 1, .category_id = 1, .box = box, .score = score};
}

}  // namespace

TEST_CASE("boxes as COCO has them raise no doubt, some at the edge included") {
  CHECK(doubts_of({}) == "");
  CHECK(doubts_of({at({500, 300, 150, 190}), at({1, 2, 600, 470}), at({0, 0, 1, 1}, 1.0000001)}) ==
        "");
  CHECK(doubts_of({{.image_id = 2, .category_id = 1, .box = {5, 6, 900, 900}, .score = 1}}) == "");
}

TEST_CASE("shares of the picture, corners and percent are told apart") {
  CHECK_CONTAINS(doubts_of({at({0.5, 0.5, 0.2, 0.1}), at({0, 0, 1, 1})}),
                 "all boxes lie in 0..1, as shares of a picture do: ");
  const std::vector<CocoResult> corners{at({500, 300, 600, 400}), at({10, 10, 50, 60})};
  CHECK(doubts_of(corners) ==
        "1 of 2 boxes reach over their picture's edge, and all would be corners x1, y1, x2, y2: "
        "COCO's are [x, y, width, height]; subtract x1 and y1\n");
  // One that cannot be corners.
  CHECK(doubts_of({at({500, 300, 600, 400}), at({100, 100, 50, 60})}) == "");
  CHECK(doubts_of({at({5, 5, 10, 10}, 97.5), at({5, 5, 10, 10}, 3)})
            .starts_with("scores are up to 97.5"));
}
