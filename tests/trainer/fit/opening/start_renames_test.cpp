#include <doctest/doctest.h>

#include "trainer/fit/opening/start_weights_of_run.h"

using namespace letterpress;

TEST_CASE("start weights know their classes by the names that the store gave them since") {
  Snapshot snapshot;
  snapshot.classes = {"nut", "ball", "washer"};
  snapshot.configuration_json =
      R"({"rename-class":{"disc":"ball","screw":"nut","bolt":"pin","washer":"ring"}})";
  StartWeights start;
  start.classes = {"nut", "disc", "screw", "bolt", "washer"};
  CHECK(take_over_renames(snapshot, start) ==
        "class disc of the start weights is ball in the store (build --rename-class)");
  // nut is there already, pin is no class of the store, washer still is one.
  CHECK(start.classes == std::vector<std::string>{"nut", "ball", "screw", "bolt", "washer"});
  CHECK(take_over_renames(snapshot, start).empty());
  snapshot.configuration_json = "of another program";
  CHECK(take_over_renames(snapshot, start).empty());
}
