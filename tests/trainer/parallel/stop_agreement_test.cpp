#include "trainer/parallel/stop_agreement.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/trainer/parallel/ranks_in_threads.h"

using namespace letterpress;

namespace {

/// The clock of a host after step `step`.
using HostClock = std::function<double(int step, bool is_last)>;

/// After which step each rank stops, when the last one wants to from step `wanted` on.
std::vector<int> stopped_after(int ranks, double every_s, int wanted, const HostClock& clock) {
  std::vector<int> stopped(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](RankGroup* group) {
    const bool is_last = group->rank() == ranks - 1;
    StopAgreement agreement(group, every_s);
    int step = 1;
    for (; step < 100; ++step) {
      const int own = is_last && step >= wanted ? 15 : 0;
      if (agreement.after_step(own, clock(step, is_last)) != 0) break;
    }
    CHECK(agreement.now(is_last ? 2 : 1) == 2);
    stopped[static_cast<std::size_t>(group->rank())] = step;
  });
  return stopped;
}

/// Of steps that take rank 0 `step_s`, the last rank twice as long.
HostClock even_steps(double step_s) {
  return [step_s](int step, bool is_last) { return step * step_s * (is_last ? 2 : 1); };
}

std::vector<int> all(int ranks, int step) {
  return std::vector<int>(static_cast<std::size_t>(ranks), step);
}

}  // namespace

TEST_CASE(
    "2 and 3 ranks stop after the same step, and ask each other once in every_s of the slowest") {
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    // every_s is 5 of the slowest rank's steps: asked after 1, 2, 4, 8, then 13, 18, 23, 28.
    CHECK(stopped_after(ranks, 5.0 / 64, 25, even_steps(1.0 / 128)) == all(ranks, 28));
    CHECK(stopped_after(ranks, 0, 25, even_steps(1.0 / 128)) == all(ranks, 25));  // after each step
    // Steps that take longer than that, and a clock that stands still.
    CHECK(stopped_after(ranks, 0.1, 25, even_steps(0.1)) == all(ranks, 25));
    CHECK(stopped_after(ranks, 0.1, 25, even_steps(0)) == all(ranks, 25));
  }
}

TEST_CASE("hosts that only launch their first steps ask each other no later for it") {
  // 1/64 s each to launch three steps, then the host is as far ahead as it may be: 1/2 s per step.
  const HostClock ahead = [](int step, bool) {
    return step <= 3 ? step / 64.0 : 3 / 64.0 + (step - 3) / 2.0;
  };
  // Asked after 1 and 2; 1/64 s a step asks for 32, twice as many as before are 2: after 4. Those
  // two took 33/64 s, 1.9 fit into every_s: after 5, and from there on after each.
  const std::vector<std::pair<int, int>> cases{{1, 1}, {2, 2}, {3, 4}, {4, 4}, {5, 5}, {6, 6}};
  for (const auto& [wanted, stopped] : cases) {
    CAPTURE(wanted);
    CHECK(stopped_after(2, 0.5, wanted, ahead) == all(2, stopped));
  }
}

TEST_CASE("a process alone agrees with itself after each step") {
  StopAgreement alone(nullptr, 10);
  CHECK(alone.after_step(0, 1) == 0);
  CHECK(alone.after_step(2, 2) == 2);
  CHECK(alone.now(15) == 15);
}
