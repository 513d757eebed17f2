#include "trainer/fit/options/monitor.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"

using namespace letterpress;

TEST_CASE(
    "the monitored metric is map by default, nothing without a val split; a loss is better when "
    "lower unless told otherwise") {
  CHECK_FALSE(choose_monitor({}, false));
  const auto by_default = choose_monitor({}, true);
  REQUIRE(by_default);
  CHECK(by_default->metric == "map");
  CHECK(by_default->higher_is_better);
  CHECK_FALSE(choose_monitor({.monitor = "loss"}, false)->higher_is_better);
  CHECK(choose_monitor({.monitor = "loss", .mode = "max"}, true)->higher_is_better);
  CHECK_FALSE(choose_monitor({.monitor = "recall", .mode = "min"}, true)->higher_is_better);
}

TEST_CASE(
    "a metric of a val split that is not there, and rules without a metric, are refused with what "
    "to do") {
  CHECK_THROWS_WITH_AS(choose_monitor({.monitor = "map50"}, false),
                       "--monitor map50: is a metric of the val split, for which the store has no "
                       "ground truth; use --monitor loss, or build the store "
                       "with --val",
                       Error);
  CHECK_THROWS_WITH_AS(choose_monitor({.patience = 3}, false),
                       doctest::Contains("--patience: goes by a metric of the val split"), Error);
  CHECK_THROWS_WITH_AS(choose_monitor({.schedule = "plateau"}, false),
                       doctest::Contains("--schedule plateau: goes by a metric"), Error);
  CHECK_NOTHROW(choose_monitor({.schedule = "plateau", .monitor = "loss", .patience = 3}, false));
  CHECK_THROWS_WITH_AS(validate_monitor("mpa"),
                       doctest::Contains("--monitor: unknown metric 'mpa'; did you mean 'map'?"),
                       Error);
  CHECK_NOTHROW(validate_monitor(""));
}

TEST_CASE("a goal is recall at a precision, or precision at a recall; other texts are refused") {
  CHECK(parse_goal("recall@precision=0.95") == Goal{Goal::Of::recall, 0.95});
  CHECK(parse_goal("precision@recall=98%") == Goal{Goal::Of::precision, 0.98});
  CHECK_FALSE(parse_goal("map50"));
  CHECK_NOTHROW(validate_monitor("recall@precision=1"));
  for (const std::string text : {"recall@precision", "recall@precision=0", "precision@recall=1.2",
                                 "map@recall=0.5", "recall@precision=", "recall@precision=x"}) {
    CHECK_THROWS_WITH_AS(validate_monitor(text),
                         doctest::Contains(("--monitor is '" + text + "', must be ").c_str()),
                         Error);
  }
  const auto chosen = choose_monitor({.monitor = "precision@recall=0.9"}, true);
  REQUIRE(chosen);
  CHECK(chosen->higher_is_better);
  CHECK_THROWS_WITH_AS(choose_monitor({.monitor = "precision@recall=0.9"}, true, true),
                       doctest::Contains("is not a metric of classifiers"), Error);
}
