#include "trainer/parallel/stop_agreement.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/trainer/parallel/ranks_in_threads.h"

using namespace letterpress;

namespace {

/// After which step each rank stops, when the last one wants to from step 25 on. step_s: of rank 0;
/// the last rank's take twice as long.
std::vector<int> stopped_after(int ranks, double every_s, double step_s) {
  std::vector<int> stopped(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](RankGroup* group) {
    const bool is_last = group->rank() == ranks - 1;
    StopAgreement agreement(group, every_s);
    int step = 1;
    for (; step < 100; ++step) {
      const int own = is_last && step >= 25 ? 15 : 0;
      if (agreement.after_step(own, step * step_s * (is_last ? 2 : 1)) != 0) break;
    }
    CHECK(agreement.now(is_last ? 2 : 1) == 2);
    stopped[static_cast<std::size_t>(group->rank())] = step;
  });
  return stopped;
}

}  // namespace

TEST_CASE(
    "2 and 3 ranks stop after the same step, and ask each other once in every_s of the slowest") {
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const auto all = [ranks](int step) {
      return std::vector<int>(static_cast<std::size_t>(ranks), step);
    };
    // every_s is 5 of the slowest rank's steps: asked after 1, 2, then 7, 12, 17, 22, 27.
    CHECK(stopped_after(ranks, 5.0 / 64, 1.0 / 128) == all(27));
    CHECK(stopped_after(ranks, 0, 1.0 / 128) == all(25));  // after each step
    CHECK(stopped_after(ranks, 0.1, 0.1) == all(25));      // steps that take longer than that
    CHECK(stopped_after(ranks, 0.1, 0) == all(25));        // a clock that stands still
  }
}

TEST_CASE("a process alone agrees with itself after each step") {
  StopAgreement alone(nullptr, 10);
  CHECK(alone.after_step(0, 1) == 0);
  CHECK(alone.after_step(2, 2) == 2);
  CHECK(alone.now(15) == 15);
}
