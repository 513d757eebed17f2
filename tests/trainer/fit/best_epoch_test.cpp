#include "trainer/fit/best_epoch.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("each metric is the epoch's own; the loss is the sum of its terms") {
  const EpochResult result{.terms = {1.5, 0.25},
                           .metrics = EpochResult::Metrics{0.1, 0.2, 0.3, 0.4}};
  CHECK(monitored({"map50"}, result) == 0.1);
  CHECK(monitored({"map"}, result) == 0.2);
  CHECK(monitored({"precision"}, result) == 0.3);
  CHECK(monitored({"recall"}, result) == 0.4);
  CHECK(monitored({"loss"}, result) == 1.75);
}
