#include "trainer/fit/options/derived_options.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE(
    "what is left to a rule follows it: learning rate by optimiser, a tenth of the epochs clean, a "
    "warm-up that is not given is at most a "
    "tenth") {
  CHECK(learning_rate_of({.model = "yolov8n", .optimiser = "adamw"}) == 0.004);
  for (const char* model : {"yolov3-tiny", "yolov3", "minigooglenet"})
    CHECK(learning_rate_of({.model = model, .optimiser = "adamw"}) == 0.001);
  CHECK(learning_rate_of({.optimiser = "sgd"}) == 0.01);
  CHECK(learning_rate_of({.optimiser = "sgd", .lr = 0.5}) == 0.5);
  CHECK(clean_epochs_of({.epochs = 40}) == 4);
  CHECK(clean_epochs_of({.epochs = 9}) == 0);
  CHECK(clean_epochs_of({.epochs = 9, .clean_epochs = 2}) == 2);
  CHECK(schedule_options({.warmup = 1.5}, 17.3, 693).warmup_steps == 26);
  CHECK(schedule_options({.warmup = 30}, 17.3, 693).warmup_steps == 519);  // as it was given
  CHECK(schedule_options({}, 17.3, 693).warmup_steps == 52);
  CHECK(schedule_options({}, 17.3, 100).warmup_steps == 10);
  CHECK(schedule_options({}, 17.3, 693).drop_steps == 0);
  CHECK(schedule_options({.drop_every = 2.5}, 17.3, 693).drop_steps == 43);
  CHECK(schedule_options({.drop_every = 1e-9}, 17.3, 693).drop_steps == 1);
}

TEST_CASE("in two stages each has the whole schedule with its own highest rate") {
  const RunSchedule run = run_schedule({.lr = 0.1,
                                        .schedule = "linear",
                                        .final_fraction = 0,
                                        .warmup = 0,
                                        .freeze = "backbone",
                                        .freeze_epochs = 2,
                                        .freeze_lr = 0.8},
                                       10, 60);
  CHECK(run.frozen_steps == 20);
  CHECK(run.rate(0) == doctest::Approx(0.8));
  CHECK(run.rate(10) == doctest::Approx(0.4));
  CHECK(run.rate(20) == doctest::Approx(0.1));
  CHECK(run.rate(40) == doctest::Approx(0.05));
  CHECK(run_schedule({.freeze_epochs = 0.01}, 10, 60).frozen_steps == 1);
  CHECK(run_schedule({.freeze_epochs = 5.99}, 10, 60).frozen_steps == 59);
  const RunSchedule one =
      run_schedule({.lr = 0.1, .schedule = "linear", .final_fraction = 0, .warmup = 0}, 10, 60);
  CHECK(one.frozen_steps == 0);
  CHECK(one.rate(30) == doctest::Approx(0.05));
}

TEST_CASE("drops that lie behind any run's end are none") {
  FitOptions options;
  options.schedule = "step";
  options.drop_every = 1e300;
  CHECK(schedule_options(options, 10, 1000).drop_steps > 1000);
}

TEST_CASE("the norms' statistics remember a tenth of the run, not less than five batches") {
  FitOptions options;
  CHECK(least_norm_momentum(options, 1000) == doctest::Approx(0.01));
  CHECK(least_norm_momentum(options, 100) == doctest::Approx(0.1));
  CHECK(least_norm_momentum(options, 50) == doctest::Approx(0.2));
  CHECK(least_norm_momentum(options, 1) == 0.2);
  options.accumulate = 4;  // norms see each part
  CHECK(least_norm_momentum(options, 25) == doctest::Approx(0.1));
}

TEST_CASE("--deterministic and --tf32 choose the kernels, each its own") {
  for (const bool deterministic : {false, true}) {
    for (const bool tf32 : {false, true}) {
      const KernelChoice choice = kernel_choice({.tf32 = tf32, .deterministic = deterministic});
      CHECK(choice.deterministic == deterministic);
      CHECK(choice.tf32 == tf32);
    }
  }
}
