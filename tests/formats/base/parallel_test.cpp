#include "letterpress/base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace letterpress {

TEST_CASE("every task is done once, on any number of threads") {
  for (const int threads : {0, 1, 2, 7}) {
    for (const std::size_t n : {0, 1, 15, 16, 17, 1000}) {
      CAPTURE(threads);
      CAPTURE(n);
      std::vector<std::atomic<int>> done(n);
      parallel_for(n, threads, [&](std::size_t i) { ++done[i]; });
      for (const auto& times : done) CHECK(times == 1);
    }
  }
}

TEST_CASE("what a task throws is thrown, and no other task begins much later") {
  for (const int threads : {1, 4}) {
    std::atomic<std::size_t> begun{0};
    CHECK_THROWS_WITH_AS(parallel_for(100'000, threads,
                                      [&](std::size_t) {
                                        ++begun;
                                        throw std::runtime_error("broken");
                                      }),
                         "broken", std::runtime_error);
    CHECK(begun <= static_cast<std::size_t>(threads));
  }
}

}  // namespace letterpress
