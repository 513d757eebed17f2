#include "trainer/schedules/plateau.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/trainer/golden_json.h"

using namespace letterpress;

TEST_CASE(
    "the plateau drops where PyTorch's ReduceLROnPlateau does: up and down, with patience, "
    "cooldown, threshold and least rate") {
  const double lr = golden_json("schedules/schedules").at("lr");
  int drops = 0;
  for (const nlohmann::json& made : golden_json("schedules/schedules").at("plateaus")) {
    const PlateauOptions options{.patience = made.at("patience"),
                                 .cooldown = made.at("cooldown"),
                                 .min_delta = made.at("threshold"),
                                 .drop_factor = made.at("factor"),
                                 .least = made.at("min_lr").get<double>() / lr,
                                 .higher_is_better = made.at("mode") == "max"};
    Plateau plateau;
    for (std::size_t epoch = 0; epoch < made.at("figures").size(); ++epoch) {
      CAPTURE(epoch);
      const nlohmann::json& metric = made.at("figures")[epoch];
      const double before = plateau.reduction;
      const bool dropped =
          plateau.look(metric.is_null() ? std::nan("") : metric.get<double>(), options);
      CHECK(dropped == (plateau.reduction < before));
      CHECK(lr * plateau.reduction ==
            doctest::Approx(made.at("rates")[epoch].get<double>()).epsilon(1e-12));
      drops += dropped;
    }
  }
  CHECK(drops > 10);
}

TEST_CASE(
    "a metric beats the best so far only by more than min_delta, in either direction; NaN never "
    "beats "
    "it") {
  BestSoFar best;
  CHECK_FALSE(best.improved_by(std::nan(""), true, 0));
  CHECK(best.stalled == 1);
  CHECK(best.improved_by(0.5, true, 0.1));
  CHECK(best.stalled == 0);
  CHECK_FALSE(best.improved_by(0.5625, true, 0.1));
  CHECK_FALSE(best.improved_by(std::nan(""), true, 0.1));
  CHECK(best.stalled == 2);
  CHECK(*best.value == 0.5);
  CHECK(best.improved_by(0.75, true, 0.1));
  BestSoFar least{.value = 2.0};
  CHECK_FALSE(least.improved_by(2.0, false, 0));
  CHECK(least.improved_by(1.5, false, 0.25));
}
