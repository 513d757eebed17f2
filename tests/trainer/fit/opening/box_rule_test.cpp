#include <doctest/doctest.h>

#include "trainer/fit/opening/model_for_store.h"

using namespace letterpress;

TEST_CASE("boxes that are cut on the device stay by the rule of the store's recipe") {
  const auto rule_of = [](const std::string& recipe) {
    Snapshot snapshot;
    snapshot.identity.recipe_json = recipe;
    return box_rule_of(snapshot);
  };
  CHECK(rule_of(R"({"augment":[{"kind":"hsv"}],"boxes":{"min_area":0.0,"min_side":1.0}})") ==
        BoxRule{.min_side = 1, .min_area = 0});
  // Nothing was cut by it.
  CHECK(rule_of(R"({"augment":[],"boxes":{"min_area":0.0,"min_side":0.0}})") ==
        BoxRule{.min_side = 2, .min_area = 0.15});
  for (const char* other : {"", "3", "{}", R"({"augment":[1],"boxes":[2]})"})
    CHECK(rule_of(other) == BoxRule{.min_side = 2, .min_area = 0.15});
}
