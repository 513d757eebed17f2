#include "trainer/fit/log/step_clock.h"

#include <doctest/doctest.h>

using namespace letterpress;

namespace {

/// A clock whose time is set by hand.
struct Bench {
  Clock::time_point now{};
  StepClock clock{[this] { return now; }};

  StepClock::Window flush(std::int64_t steps, int seconds) {
    for (std::int64_t step = 0; step < steps; ++step) clock.count_step();
    now += std::chrono::seconds(seconds);
    return clock.flush(0);
  }
};

}  // namespace

TEST_CASE("a window has the steps, seconds and waits since the last flush or restart") {
  Bench bench;
  bench.clock.restart(1);
  bench.clock.count_step();
  bench.now += std::chrono::seconds(4);
  StepClock::Window window = bench.clock.flush(1.5);
  CHECK(window.steps == 1);
  CHECK(window.seconds == 4);
  CHECK(window.starved_s == 0.5);
  bench.now += std::chrono::seconds(100);  // a validation
  bench.clock.restart(2);
  window = bench.flush(3, 6);
  CHECK(window.steps == 3);
  CHECK(window.seconds == 6);
  CHECK(bench.clock.steps() == 4);
  CHECK(bench.clock.step_s() == 2.5);  // (4 + 6) / 4
}

TEST_CASE("the time of a step is that of the last minute of training, not of the whole session") {
  Bench bench;
  for (int i = 0; i < 100; ++i) bench.flush(10, 10);
  CHECK(bench.clock.step_s() == 1);
  bench.flush(10, 20);  // another program began; 40 s of before are within the minute
  CHECK(bench.clock.step_s() == 1.2);
  bench.flush(10, 20);
  CHECK(bench.clock.step_s() == 1.5);
  bench.flush(10, 20);
  CHECK(bench.clock.step_s() == 2);
  for (int i = 0; i < 6; ++i) bench.flush(20, 10);
  CHECK(bench.clock.step_s() == 0.5);
  CHECK(bench.clock.steps() == 1000 + 30 + 120);
}

TEST_CASE("a window longer than a minute counts alone, one without steps not at all") {
  Bench bench;
  bench.flush(5, 10);
  bench.flush(10, 300);
  CHECK(bench.clock.step_s() == 30);
  bench.flush(0, 500);
  CHECK(bench.clock.step_s() == 30);
  bench.flush(1, 15);
  CHECK(bench.clock.step_s() == doctest::Approx(315.0 / 11));
}
