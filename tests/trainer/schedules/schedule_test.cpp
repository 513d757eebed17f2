#include "trainer/schedules/schedule.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/contains.h"

using namespace letterpress;

namespace {

ScheduleOptions options(const std::string& name, std::int64_t warmup_steps = 0) {
  return {.name = name, .lr = 0.8, .final_fraction = 0.25, .warmup_steps = warmup_steps};
}

}  // namespace

TEST_CASE("constant stays") {
  for (const std::int64_t step : {0, 1, 99, 1000})
    CHECK(learning_rate(options("constant"), step, 100) == 0.8);
}

TEST_CASE("linear falls in a straight line to its final share") {
  // 0.8 * (1 - p * 0.75) at p = 0, 1/4, 1/2, 1 and beyond the end
  CHECK(learning_rate(options("linear"), 0, 100) == doctest::Approx(0.8));
  CHECK(learning_rate(options("linear"), 25, 100) == doctest::Approx(0.65));
  CHECK(learning_rate(options("linear"), 50, 100) == doctest::Approx(0.5));
  CHECK(learning_rate(options("linear"), 100, 100) == doctest::Approx(0.2));
  CHECK(learning_rate(options("linear"), 500, 100) == doctest::Approx(0.2));
}

TEST_CASE("cosine falls along half a wave to its final share") {
  // 0.2 + 0.6 * (1 + cos(pi p)) / 2; cos(pi/3) = 1/2, cos(pi/2) = 0, cos(2 pi/3) = -1/2
  CHECK(learning_rate(options("cosine"), 0, 60) == doctest::Approx(0.8));
  CHECK(learning_rate(options("cosine"), 20, 60) == doctest::Approx(0.65));
  CHECK(learning_rate(options("cosine"), 30, 60) == doctest::Approx(0.5));
  CHECK(learning_rate(options("cosine"), 40, 60) == doctest::Approx(0.35));
  CHECK(learning_rate(options("cosine"), 60, 60) == doctest::Approx(0.2));
}

TEST_CASE("step drops by its factor, without a length twice in a run") {
  // thirds of 100 rounded up: at 34 and 68
  ScheduleOptions by_rule = options("step");
  CHECK(learning_rate(by_rule, 33, 100) == doctest::Approx(0.8));
  CHECK(learning_rate(by_rule, 34, 100) == doctest::Approx(0.08));
  CHECK(learning_rate(by_rule, 68, 100) == doctest::Approx(0.008));
  CHECK(learning_rate(by_rule, 100, 100) == doctest::Approx(0.008));
  by_rule.drop_steps = 10;
  by_rule.drop_factor = 0.5;
  CHECK(learning_rate(by_rule, 29, 100) == doctest::Approx(0.2));
  CHECK(learning_rate(by_rule, 30, 100) == doctest::Approx(0.1));
}

TEST_CASE("polynomial falls as a power of what is left") {
  ScheduleOptions square = options("polynomial");
  square.power = 2;
  // 0.2 + 0.6 * (1 - p)^2
  CHECK(learning_rate(square, 0, 100) == doctest::Approx(0.8));
  CHECK(learning_rate(square, 50, 100) == doctest::Approx(0.35));
  CHECK(learning_rate(square, 100, 100) == doctest::Approx(0.2));
}

TEST_CASE("one-cycle rises for three tenths of the run and falls to its final share") {
  // from 0.8 / 25 = 0.032 over (0.032 + 0.8) / 2 = 0.416 to 0.8, then over (0.8 + 0.2) / 2 = 0.5 to
  // 0.2
  CHECK(learning_rate(options("one-cycle"), 0, 100) == doctest::Approx(0.032));
  CHECK(learning_rate(options("one-cycle"), 15, 100) == doctest::Approx(0.416));
  CHECK(learning_rate(options("one-cycle"), 30, 100) == doctest::Approx(0.8));
  CHECK(learning_rate(options("one-cycle"), 65, 100) == doctest::Approx(0.5));
  CHECK(learning_rate(options("one-cycle"), 100, 100) == doctest::Approx(0.2));
}

TEST_CASE("every schedule warms up in equal steps to its first rate, then begins at it") {
  for (const EntryInfo& info : schedule_infos()) {
    CAPTURE(info.name);
    CHECK(!info.help.empty());
    const double begin = info.name == "one-cycle" ? 0.032 : 0.8;
    CHECK(learning_rate(options(info.name, 4), 0, 104) == doctest::Approx(begin / 4));
    CHECK(learning_rate(options(info.name, 4), 1, 104) == doctest::Approx(begin / 2));
    CHECK(learning_rate(options(info.name, 4), 3, 104) == doctest::Approx(begin));
    CHECK(learning_rate(options(info.name, 4), 4, 104) == doctest::Approx(begin));
    for (const std::int64_t step : {0, 30, 70})  // after the warm-up: as without, later
      CHECK(learning_rate(options(info.name, 4), step + 4, 104) ==
            doctest::Approx(learning_rate(options(info.name), step, 100)));
  }
}

TEST_CASE(
    "every schedule stays positive and at most lr, and except for one-cycle never rises after the "
    "warm-up") {
  for (const EntryInfo& info : schedule_infos()) {
    CAPTURE(info.name);
    double before = learning_rate(options(info.name, 10), 9, 200);
    for (std::int64_t step = 10; step < 220; ++step) {
      const double now = learning_rate(options(info.name, 10), step, 200);
      CHECK(now > 0);
      CHECK(now <= 0.8);
      if (info.name != "one-cycle") CHECK(now <= before);
      before = now;
    }
  }
}

TEST_CASE("a warm-up longer than the run is only warm-up") {
  CHECK(learning_rate(options("cosine", 100), 9, 10) == doctest::Approx(0.08));
  CHECK(learning_rate(options("cosine", 10), 9, 10) == doctest::Approx(0.8));
  CHECK(learning_rate(options("cosine", 10), 10, 10) == doctest::Approx(0.8));
}

TEST_CASE("an unknown schedule is refused with the known ones, nearest first") {
  CHECK_NOTHROW(learning_rate(ScheduleOptions{}, 0, 1));
  try {
    learning_rate({.name = "cosin"}, 0, 1);
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    CHECK_CONTAINS(error.what(), "unknown schedule 'cosin'; did you mean 'cosine'?");
  }
}
