#include "preprocess/inputs/label_turns.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "preprocess/inputs/check_labels.h"

namespace letterpress {
namespace {

struct Turned {
  std::int32_t orientation, stated_width, stated_height;  // 0: no size is stated
};

// Pictures that are shown as 80 x 60, with a box each.
Inputs inputs_of(const std::vector<Turned>& pictures) {
  Inputs inputs;
  for (const auto& [orientation, width, height] : pictures) {
    Candidate& candidate = inputs.candidates.emplace_back();
    candidate.width = 80;
    candidate.height = 60;
    candidate.orientation = orientation;
    candidate.item.width = width;
    candidate.item.height = height;
    candidate.item.boxes = {{.x1 = 10, .y1 = 20, .x2 = 40, .y2 = 30}};
  }
  return inputs;
}

constexpr Turned kUpright{1, 80, 60}, kHalf{3, 80, 60}, kMirrored{2, 0, 0}, kBefore{6, 60, 80},
    kAfter{8, 80, 60};
const std::string kUntold =
    "pictures with an EXIF turn and labels that do not say whether they are meant before or after "
    "it: ";

}  // namespace

TEST_CASE("labels that do not tell a turn are taken as those that do, if these agree") {
  Inputs inputs = inputs_of({kUpright, kHalf, kMirrored, kBefore});
  check_labels(inputs);
  REQUIRE(inputs.recognised.size() == 1);
  CHECK(inputs.recognised[0] ==
        kUntold +
            "2, taken as before; by the sizes that others state, before: 1, after: 0; "
            "`lint` names them");
  const auto box = [&](std::size_t i) { return inputs.candidates[i].boxes.at(0); };
  CHECK(box(0) == LabelBox{10, 20, 40, 30});
  CHECK(box(1) == LabelBox{40, 30, 70, 40});
  CHECK(box(2) == LabelBox{40, 20, 70, 30});
  CHECK(box(3) == LabelBox{50, 10, 60, 40});  // of 60 x 80, a quarter turn clockwise
}

TEST_CASE(
    "labels that do not tell a turn are taken as after it where others disagree, or none tell") {
  Inputs mixed = inputs_of({kHalf, kBefore, kAfter, kAfter}), alone = inputs_of({kHalf});
  check_labels(mixed);
  CHECK(mixed.recognised.at(0) ==
        kUntold +
            "1, taken as after; by the sizes that others state, before: 1, after: 2; "
            "`lint` names them");
  CHECK(mixed.candidates[0].boxes.at(0) == LabelBox{10, 20, 40, 30});
  check_labels(alone);
  CHECK(alone.recognised.at(0) == kUntold + "1, taken as after; `lint` names them");
  CHECK(alone.candidates[0].boxes.at(0) == LabelBox{10, 20, 40, 30});
}

TEST_CASE("pictures without a turn, without boxes or whose labels tell it are not told") {
  Inputs inputs = inputs_of({kUpright, kBefore, kAfter, kHalf});
  inputs.candidates[3].item.boxes.clear();
  CHECK(LabelTurns(inputs).remark().empty());
}

}  // namespace letterpress
