#include "letterpress/base/cores.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <thread>

using namespace letterpress;

TEST_CASE("the cores are those that the process is bound to") {
  cpu_set_t bound;
  REQUIRE(sched_getaffinity(0, sizeof bound, &bound) == 0);
  CHECK(available_cores() == CPU_COUNT(&bound));
  // In a thread of its own, so that the other tests keep their cores.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &bound)) CPU_SET(core, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(available_cores() == 1);
  }).join();
  CHECK(available_cores() == CPU_COUNT(&bound));
}
