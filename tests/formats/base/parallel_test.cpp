#include "letterpress/base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
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

TEST_CASE(
    "threads are asked for before they are needed, and their lack is told from other faults") {
  require_threads(0);
  require_threads(50);
  const std::system_error lack(EAGAIN, std::generic_category());
  REQUIRE(thread_shortage(lack));
  CHECK(thread_shortage(lack)->exit() == Exit::io);
  CHECK(std::string(thread_shortage(lack)->what()) ==
        "a thread: cannot be started: Resource temporarily unavailable; raise the limit of "
        "processes (ulimit -u, or the container's limit of pids) or of memory (ulimit -v), or give "
        "fewer --threads");
  CHECK_FALSE(thread_shortage(std::system_error(EPERM, std::generic_category())));
  CHECK_FALSE(thread_shortage(std::runtime_error("broken")));
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
