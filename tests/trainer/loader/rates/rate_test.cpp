#include "trainer/loader/rates/rate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <vector>

using namespace letterpress;

TEST_CASE("a rate is the median of its runs, between the lowest and the highest") {
  const Rate rate = rate_of({5, 1, 9, 3, 7});
  CHECK(rate.median == 5);
  CHECK(rate.low == 1);
  CHECK(rate.high == 9);
  CHECK(rate_of({4}).median == 4);
}

TEST_CASE("each item is worked on once, by as many threads as asked for") {
  for (const int threads : {1, 3}) {
    std::vector<std::atomic<int>> times(100);
    std::atomic<int> highest = 0;
    const double seconds = seconds_of(threads, 100, [&](int thread, std::int64_t item) {
      ++times[static_cast<std::size_t>(item)];
      highest = std::max<int>(highest, thread);
    });
    for (const auto& time : times) CHECK(time == 1);
    CHECK(highest < threads);
    CHECK(seconds > 0);
  }
}

TEST_CASE(
    "work that is too short to measure is repeated until it lasts 0.05 s, longer work is done "
    "once") {
  CHECK(repeats_to_last(0.01) == 5);
  CHECK(repeats_to_last(0.012) == 5);
  CHECK(repeats_to_last(0.049) == 2);
  CHECK(repeats_to_last(0.05) == 1);
  CHECK(repeats_to_last(3) == 1);
  CHECK(repeats_to_last(0) == 50000);  // and no more
}
