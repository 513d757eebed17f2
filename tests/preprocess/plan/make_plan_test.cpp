#include "preprocess/plan/make_plan.h"

#include <doctest/doctest.h>

#include <optional>
#include <utility>

#include "preprocess/recipe/recipe.h"
#include "tests/preprocess/drawn_set.h"
#include "tests/preprocess/remembered_files.h"

namespace letterpress {
namespace {

PlanResult plan_with(const BuildOptions& options, StatCache known) {
  BuildListener silent;
  std::optional<Previous> none;
  Recipe recipe = Recipe::load(options.recipe);
  return make_plan({options, recipe, none, std::move(known), kNoStop}, silent);
}

}  // namespace

TEST_CASE("a plan tells what it has seen of files only where it is not as it was known") {
  DrawnSet set;
  set.pictures(3);
  const BuildOptions options = set.options();
  build_quietly(options);
  // Files that were written just now are too young to be remembered: none of them is known again.
  CHECK_FALSE(plan_with(options, StatCache()).seen);
  remember_pictures(options);
  const StatCache known = StatCache::load(options.store / "cache" / "stat");
  REQUIRE(known != StatCache());
  CHECK(plan_with(options, known).seen == StatCache());
}

}  // namespace letterpress
