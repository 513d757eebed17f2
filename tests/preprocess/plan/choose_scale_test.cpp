#include "preprocess/plan/choose_scale.h"

#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"
#include "tests/preprocess/pipeline/tiled_set.h"

using namespace letterpress;

namespace {

// A train picture with a box of `side` x 3 `side` for each.
Inputs with_sides(const std::vector<float>& sides, const std::string& split = "train") {
  Inputs inputs;
  Candidate& candidate = inputs.candidates.emplace_back();
  candidate.split = split;
  for (const float side : sides) {
    LabelBox& box = candidate.boxes.emplace_back();
    box.x1 = 5, box.y1 = 7, box.x2 = 5 + 3 * side, box.y2 = 7 + side;
  }
  return inputs;
}

double stored_scale(const BuildOptions& options) {
  return tile_rule_of_recipe(Store::open(options.store).latest()->identity.recipe_json)->scale;
}

}  // namespace

TEST_CASE("scale auto: the small objects' median side gets 24 pixels, in whole sixteenths") {
  CHECK(choose_scale(with_sides({48})).scale == 0.5);
  CHECK(choose_scale(with_sides({24})).scale == 1);
  CHECK(choose_scale(with_sides({5})).scale == 1);
  CHECK(choose_scale(with_sides({50})).scale == 0.5);     // 0.48, rounded up
  CHECK(choose_scale(with_sides({47})).scale == 0.5625);  // 0.511
  CHECK(choose_scale(with_sides({5000})).scale == 0.0625);
  // The smallest quarter of sixteen is 40, 60, 80, 100: the third is their (upper) median.
  CHECK(choose_scale(with_sides({900, 900, 100, 900, 60, 900, 80, 900, 900, 40, 900, 900, 900, 900,
                                 900, 900}))
            .scale == 0.3125);
  CHECK(choose_scale(with_sides({})).scale == 1);
  CHECK(choose_scale(with_sides({48}, "val")).scale == 1);
}

TEST_CASE("scale auto says why") {
  CHECK(
      choose_scale(with_sides({48})).reason ==
      "0.5: the small ones of 1 boxes, the quarter with the shortest sides, have 48 pixels (their "
      "median); a tile shows them with 24, at least 24 that are 3 cells of a model's finest grid");
  CHECK_CONTAINS(choose_scale(with_sides({5})).reason,
                 "a tile shows them with 5, fewer than the 24 that are 3 cells");
  CHECK(choose_scale(with_sides({})).reason == "1: no train picture has a box");
}

TEST_CASE("scale auto: a store keeps its scale until it is rebuilt") {
  TiledSet set;
  set.picture("p.png", 1);
  set.list("train.txt", "p.png 2,2,50,50,0\n");
  BuildOptions options = set.options();
  options.tiles.scale = -1;
  CHECK_CONTAINS(notes_of_build(options), "--scale auto: 0.5: the small ones of 1 boxes");
  CHECK(stored_scale(options) == 0.5);
  set.picture("q.png", 2);
  set.list("train.txt", "p.png 2,2,50,50,0\nq.png 2,2,34,34,0\nq.png 60,60,92,92,0\n");
  CHECK(notes_of_build(options).find("--scale auto") == std::string::npos);
  CHECK(stored_scale(options) == 0.5);
  CHECK(build_options_from_json(Store::open(options.store).latest()->configuration_json)
            .tiles.scale == -1);
  options.rebuild = true;
  CHECK_CONTAINS(notes_of_build(options), "--scale auto: 0.75: the small ones of 3 boxes");
  CHECK(stored_scale(options) == 0.75);
}
