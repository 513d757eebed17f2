#include "trainer/fit/rates/step_rate.h"

#include <doctest/doctest.h>

#include "tests/trainer/fit/step/whole_step.h"
#include "tests/trainer/waiting_operators.h"

using namespace letterpress;

TEST_CASE("steps are timed with one look at the device in as many steps as asked for") {
  WholeStep step("yolov3-tiny", "fp32", torch::kCPU);
  step();  // the first makes what lives as long as the run
  for (const int steps_per_look : {1, 5}) {
    CAPTURE(steps_per_look);
    int steps = 0;
    const auto count = [&](const Batch& batch) {
      ++steps;
      return batch;
    };
    WaitingOperators watch;
    const Rate rate =
        time_steps(step.model(), step.batch(),
                   {.input = count, .runs = 3, .seconds = 0, .steps_per_look = steps_per_look});
    CHECK(watch.times("aten::item") == 3);  // a look ends a run of no time
    CHECK(steps == 3 * steps_per_look);
    CHECK(rate.median > 0);
  }
}

TEST_CASE("a look at a CPU's steps costs nothing, at a GPU's it is a wait") {
  CHECK(steps_per_look(torch::kCPU) == 1);
  CHECK(steps_per_look(torch::Device(torch::kCUDA, 0)) == 10);
}
