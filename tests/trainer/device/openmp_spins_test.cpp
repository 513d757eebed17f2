#include "trainer/device/openmp_spins.h"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "letterpress/base/cores.h"
#include "letterpress/base/own_program.h"
#include "tests/contains.h"
#include "tests/skip.h"
#include "tests/tools/run_program.h"

using namespace letterpress;

namespace {

double clock_s(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double others_computed_s() {
  return clock_s(CLOCK_PROCESS_CPUTIME_ID) - clock_s(CLOCK_THREAD_CPUTIME_ID);
}

void bind_to_one_core() {
  cpu_set_t cores, one;
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &cores)) CPU_SET(core, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

void compute_for(double seconds) {
  const double end = clock_s(CLOCK_MONOTONIC) + seconds;
  while (clock_s(CLOCK_MONOTONIC) < end) {
  }
}

/// That a skipped test passes in a process with these changes to the environment, which libgomp
/// reads when it is loaded.
void check_alone(std::vector<std::string> changes, const std::string& test) {
  changes.insert(changes.begin(), "/usr/bin/env");
  changes.insert(changes.end(), {path_of_this_program(), "--no-skip",
                                 "--test-case=in a process of its own: " + test});
  const ProgramResult result = run(changes);
  CHECK_MESSAGE((result.exit_code == 0 && contains(result.out, " 1 passed")), result.out);
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Of the time in which only this thread has something to do, what the team's other one spun.
double spun() {
  const torch::Tensor one = torch::zeros({1 << 20});
  double alone = 0, spun = 0;
  for (int part = 0; part < 200; ++part) {
    one.add_(1);
    const double before = others_computed_s();
    compute_for(0.002);
    alone += 0.002, spun += others_computed_s() - before;
  }
  return spun / alone;
}

/// Of the parts that other programs may take the whole of, one in which there was a core to spin
/// on. Less than `wanted` where there was none in 100.
double spun_once(double wanted) {
  double most = 0;
  for (int part = 0; part < 100 && most <= wanted; ++part) most = std::max(most, spun());
  return most;
}

}  // namespace

TEST_CASE("in a process of its own: spins without and beside an idle team" * doctest::skip()) {
  at::set_num_threads(2);
  const double without = spun_once(0.1);
  double beside = 0;
  {
    const IdleTeam team;
    spun();  // until the team is there
    for (int part = 0; part < 5; ++part) beside = std::max(beside, spun());
  }
  const double after = spun_once(std::max(0.1, beside * 3));
  CAPTURE(without);
  CAPTURE(beside);
  CAPTURE(after);
  // 300,000 turns outlast 2 ms, 100 do not.
  CHECK(without > 0.1);
  CHECK(beside < 0.1);
  CHECK(after > std::max(0.1, beside * 3));
}

TEST_CASE("in a process of its own: spins beside other programs" * doctest::skip()) {
  at::set_num_threads(2);
  limit_openmp_spins();
  std::vector<std::unique_ptr<RunningProgram>> others;
  for (int i = 0; i < 2 * available_cores(); ++i)
    others.push_back(std::make_unique<RunningProgram>(
        std::vector<std::string>{"/bin/sh", "-c", "while :; do :; done"}));
  int parts = 0;
  while (spun() > 0.02 && parts < 30) ++parts;
  CHECK(parts < 30);
}

TEST_CASE("OpenMP's threads spin shortly beside an idle team, and beside other programs" *
          doctest::test_suite("needs two cores")) {
  if (available_cores() < 2) return skip("one core: no thread waits for another");
  check_alone({"-u", "GOMP_SPINCOUNT", "-u", "OMP_WAIT_POLICY"}, "spins without*");
  check_alone({"-u", "GOMP_SPINCOUNT", "-u", "OMP_WAIT_POLICY"}, "spins beside other*");
}

TEST_CASE("in a process of its own: the environment decides" * doctest::skip()) {
  const auto before = threads_of_this_process();
  limit_openmp_spins();
  CHECK(threads_of_this_process() == before);
}

TEST_CASE("in a process of its own: nothing decides" * doctest::skip()) {
  const auto before = threads_of_this_process();
  limit_openmp_spins();
  CHECK(threads_of_this_process() > before);
}

TEST_CASE("an environment that says how long threads spin is left as it is") {
  check_alone({"-u", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT=77"}, "the environment decides");
  check_alone({"-u", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY=passive"}, "the environment decides");
  check_alone({"-u", "GOMP_SPINCOUNT", "-u", "OMP_WAIT_POLICY"}, "nothing decides");
}

TEST_CASE("an idle team that the process may not have is left out, and the process goes on") {
  std::ifstream pages("/proc/self/statm");
  rlim_t mapped = 0;
  pages >> mapped;
  REQUIRE(mapped > 0);
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  // A thread's stack is 8 MiB: room for one at most.
  const rlimit little{.rlim_cur = mapped * 4096 + (12 << 20), .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  { const IdleTeam team; }
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
}

TEST_CASE("cores are shared when threads wait longer for them than for each other") {
  // Measured with two threads on two cores: alone, one whole second of it with a hiccup; beside one
  // program, beside two.
  CHECK_FALSE(cores_are_shared(0.022, 2));
  CHECK_FALSE(cores_are_shared(0.258, 2));
  CHECK(cores_are_shared(0.634, 2));
  CHECK(cores_are_shared(0.9, 2));
}

TEST_CASE("threads that share one core wait for it half of the time each" *
          doctest::test_suite("needs schedstat")) {
  std::thread([] {
    bind_to_one_core();
    const double before = waited_for_cores_s();
    if (before < 0) return skip("this kernel does not tell how long threads wait");
    std::thread other(compute_for, 0.4);
    compute_for(0.4);
    other.join();
    // Half of 0.4 s: what the other waited is gone with it, and more programs only add.
    CHECK(waited_for_cores_s() - before > 0.1);
  }).join();
}
