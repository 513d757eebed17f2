#include "trainer/fit/opening/epoch_plan.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("epochs end with the step that has seen every sample, whatever the batch") {
  const EpochPlan bccd{.samples = 277, .batch = 16, .epochs = 40};
  CHECK(bccd.total_steps() == 693);   // 11080 / 16 = 692.5
  CHECK(bccd.epochs_after(17) == 0);  // 272 samples
  CHECK(bccd.epochs_after(18) == 1);  // 288
  CHECK(bccd.epochs_after(693) == 40);
  CHECK(bccd.epochs_after(692) == 39);   // 11072 < 11080
  CHECK(bccd.epochs_after(9999) == 40);  // never more than the run has
  CHECK(bccd.steps_per_epoch() == 17.3125);
  const EpochPlan exact{.samples = 8, .batch = 4, .epochs = 3};
  CHECK(exact.total_steps() == 6);
  CHECK(exact.epochs_after(1) == 0);
  CHECK(exact.epochs_after(2) == 1);
  CHECK(exact.epochs_after(3) == 1);
  const EpochPlan tiny{.samples = 3, .batch = 8, .epochs = 5};
  CHECK(tiny.total_steps() == 2);
  CHECK(tiny.epochs_after(1) == 2);  // 8 samples are two whole epochs
  CHECK(tiny.epochs_after(2) == 5);
}

TEST_CASE("epochs go on where the pictures became others") {
  // 8 pictures for two epochs, four to a step, then 12 for the other three.
  const EpochPlan now{.samples = 12, .batch = 4, .epochs = 5, .first_step = 4, .first_epoch = 2};
  CHECK(now.position(4) == 24);
  CHECK(now.position(7) == 36);
  CHECK(now.epochs_after(4) == 2);
  CHECK(now.epochs_after(6) == 2);
  CHECK(now.epochs_after(7) == 3);
  CHECK(now.total_steps() == 13);
  // Of a schedule over five epochs of three steps each: two of them are done.
  CHECK(now.schedule_steps() == 15);
  CHECK(now.schedule_step(4) == 6);
  CHECK(now.schedule_step(13) == 15);
}
