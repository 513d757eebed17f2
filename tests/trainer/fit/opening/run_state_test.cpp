#include "trainer/fit/opening/run_state.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "letterpress/base/error.h"

using namespace letterpress;

TEST_CASE("the state of a run survives its text exactly, and a damaged one is named") {
  const RunState state{
      .step = 7,
      .epochs_done = 2,
      .elapsed_s = 0.1,
      .best = {.value = 0.1 + 0.2, .stalled = 2},
      .best_map = 1.0 / 3,
      .best_map50 = 0.5,
      .best_epoch = 1,
      .stopping = {.stalled = 5},
      .plateau = {.reduction = 0.1 * 0.3, .best = {.value = -1e-300, .stalled = 1}, .cooling = 3},
      .skipped_steps = 3,
      .steps_without_target = 4,
      .most_map50 = 0.7,
      .first_loss = 0.3,
      .most_epoch_loss = 0.2,
      .last_epoch_loss = 0.15,
      .epoch = {
          .terms = {0.1, 1e300}, .normaliser = 12, .samples = 12, .train_s = 1e-9, .waited_s = 0}};
  const RunState back = run_state_from_json(to_json(state));
  CHECK(to_json(back) == to_json(state));
  CHECK(back.best_map == state.best_map);
  CHECK(back.skipped_steps == 3);
  CHECK(back.steps_without_target == 4);
  CHECK(back.most_map50 == 0.7);
  CHECK(back.first_loss == 0.3);
  CHECK(back.most_epoch_loss == 0.2);
  CHECK(back.last_epoch_loss == 0.15);
  CHECK(*back.best.value == 0.1 + 0.2);
  CHECK(back.best.stalled == 2);
  CHECK_FALSE(back.stopping.value);
  CHECK(back.stopping.stalled == 5);
  CHECK(back.plateau.reduction == 0.1 * 0.3);
  CHECK(*back.plateau.best.value == -1e-300);
  CHECK(back.plateau.cooling == 3);
  CHECK(back.epoch.terms == state.epoch.terms);
  CHECK(back.epoch.train_s == 1e-9);
  // one of before there was --monitor: map decided
  nlohmann::json older = nlohmann::json::parse(to_json(state));
  for (const char* added : {"best", "stopping", "plateau"}) older.erase(added);
  CHECK(*run_state_from_json(older.dump()).best.value == 1.0 / 3);
  CHECK_THROWS_WITH_AS(run_state_from_json("{}"),
                       doctest::Contains("its training state cannot be read"), Error);
  CHECK_THROWS_WITH_AS(run_state_from_json(R"({"step":"x"})"),
                       doctest::Contains("start a new run with --init"), Error);
  for (const char* forged : {"-1", "1e300", "9223372036854775807", "1.5", "null"}) {
    CAPTURE(forged);
    nlohmann::json other = nlohmann::json::parse(to_json(state));
    other["step"] = nlohmann::json::parse(forged);
    CHECK_THROWS_WITH_AS(run_state_from_json(other.dump()),
                         doctest::Contains("must be a whole number from 0 to 2147483648"), Error);
  }
}

TEST_CASE(
    "a model that finds nothing and whose loss was far over that of the first step collapsed") {
  const RunState collapsed{.most_map50 = 0, .first_loss = 200, .most_epoch_loss = 20001};
  CHECK(has_collapsed(collapsed));
  const auto differs = [&](auto change) {
    RunState state = collapsed;
    change(state);
    return !has_collapsed(state);
  };
  const RunState unmeasured{.first_loss = 200, .most_epoch_loss = 3e7, .last_epoch_loss = 20001};
  CHECK(has_collapsed(unmeasured));
  CHECK_FALSE(has_collapsed({.first_loss = 200, .most_epoch_loss = 3e7, .last_epoch_loss = 150}));
  CHECK(differs([](RunState& state) { state.most_epoch_loss = 20000; }));  // it may yet get better
  CHECK(differs([](RunState& state) { state.most_map50 = 1e-4; }));
  CHECK(differs([](RunState& state) { state.most_map50 = -1; }));  // nobody has looked
  CHECK(differs([](RunState& state) { state.first_loss = 0; }));   // of an older version's run
}

TEST_CASE("a run of which most steps were skipped has diverged") {
  CHECK_FALSE(has_diverged({}));
  CHECK_FALSE(has_diverged({.step = 10, .skipped_steps = 5}));
  CHECK(has_diverged({.step = 10, .skipped_steps = 6}));
}

TEST_CASE("so has one whose last steps had no target: an epoch of them, ten at least") {
  // An epoch of 50 steps, and epochs of a single one.
  CHECK_FALSE(has_diverged({.step = 2000, .epochs_done = 40, .steps_without_target = 49}));
  CHECK(has_diverged({.step = 2000, .epochs_done = 40, .steps_without_target = 50}));
  CHECK_FALSE(has_diverged({.step = 40, .epochs_done = 40, .steps_without_target = 9}));
  CHECK(has_diverged({.step = 40, .epochs_done = 40, .steps_without_target = 10}));
  // Twenty epochs of 10 steps, then one of 1,000 on more pictures.
  CHECK_FALSE(has_diverged({.step = 1200,
                            .epochs_done = 21,
                            .steps_without_target = 580,
                            .first_step = 200,
                            .first_epoch = 20}));
}
