#include "trainer/fit/options/monitor.h"

#include <doctest/doctest.h>

#include <set>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"
#include "trainer/fit/epoch_checkpoints.h"

using namespace letterpress;

TEST_CASE(
    "the monitored figure is map by default, nothing without a val split; a loss is better when "
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

TEST_CASE("each figure is the epoch's own; the loss is the sum of its terms") {
  const EpochResult result{.terms = {1.5, 0.25},
                           .metrics = EpochResult::Metrics{0.1, 0.2, 0.3, 0.4}};
  CHECK(monitored({"map50"}, result) == 0.1);
  CHECK(monitored({"map"}, result) == 0.2);
  CHECK(monitored({"precision"}, result) == 0.3);
  CHECK(monitored({"recall"}, result) == 0.4);
  CHECK(monitored({"loss"}, result) == 1.75);
}

TEST_CASE(
    "a figure of a val split that is not there, and rules without a figure, are refused with what "
    "to do") {
  CHECK_THROWS_WITH_AS(choose_monitor({.monitor = "map50"}, false),
                       "--monitor map50: is a figure of the val split, which the store does not "
                       "have; use --monitor loss, or build the store "
                       "with --val",
                       Error);
  CHECK_THROWS_WITH_AS(choose_monitor({.patience = 3}, false),
                       doctest::Contains("--patience: goes by a figure of the val split"), Error);
  CHECK_THROWS_WITH_AS(choose_monitor({.schedule = "plateau"}, false),
                       doctest::Contains("--schedule plateau: goes by a figure"), Error);
  CHECK_NOTHROW(choose_monitor({.schedule = "plateau", .monitor = "loss", .patience = 3}, false));
  CHECK_THROWS_WITH_AS(validate_monitor("mpa", "auto"),
                       doctest::Contains("--monitor: unknown figure 'mpa'; did you mean 'map'?"),
                       Error);
  CHECK_THROWS_WITH_AS(validate_monitor("map", "up"), "--mode is 'up', must be auto, max or min",
                       Error);
  CHECK_NOTHROW(validate_monitor("", "min"));
}

TEST_CASE("of the checkpoints that stay the newest are kept, whatever else lies there") {
  const TempDir dir;
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      found.insert(entry.path().filename().string());
    return found;
  };
  CHECK(epoch_checkpoint_name(12) == "epoch-000012.safetensors");
  CHECK(epoch_checkpoint_name(1234567) == "epoch-1234567.safetensors");
  const std::set<std::string> others{"epoch-x.safetensors", "best.safetensors", "epoch-000003.txt",
                                     "epoch-1.safetensors"};
  for (const std::string& name : others) dir.write(name, "");
  for (const std::int64_t epoch : {9, 10, 999999, 1000000})
    dir.write(epoch_checkpoint_name(epoch), "");
  remove_old_epoch_checkpoints(dir.path(), 0);
  CHECK(names().size() == 8);
  remove_old_epoch_checkpoints(dir.path(), 2);
  std::set<std::string> wanted = others;
  wanted.insert({"epoch-999999.safetensors", "epoch-1000000.safetensors"});
  CHECK(names() == wanted);
}
