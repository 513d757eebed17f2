#include "letterpress/base/cores.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "tests/temp_dir.h"

using namespace letterpress;

namespace {

int bound_here() {
  cpu_set_t bound;
  REQUIRE(sched_getaffinity(0, sizeof bound, &bound) == 0);
  return CPU_COUNT(&bound);
}

}  // namespace

TEST_CASE("the cores are those that the process is bound to") {
  const TempDir unlimited;
  cpu_set_t bound;
  REQUIRE(sched_getaffinity(0, sizeof bound, &bound) == 0);
  CHECK(available_cores(unlimited.path()) == CPU_COUNT(&bound));
  // In a thread of its own, so that the other tests keep their cores.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &bound)) CPU_SET(core, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(available_cores() == 1);
  }).join();
  CHECK(available_cores(unlimited.path()) == CPU_COUNT(&bound));
  CHECK(available_cores() >= 1);
  CHECK(available_cores() <= CPU_COUNT(&bound));
}

TEST_CASE("cores are no more than the control group's share, rounded up, and at least one") {
  CHECK(within_grant(64, 0) == 64);
  CHECK(within_grant(64, 2) == 2);
  CHECK(within_grant(64, 1.5) == 2);
  CHECK(within_grant(64, 0.1) == 1);
  CHECK(within_grant(2, 64) == 2);
  CHECK(within_grant(64, 1e300) == 64);
  const TempDir root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  CHECK(available_cores(root.path()) == 1);
  root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK(available_cores(root.path()) == std::min(2, bound_here()));
}

TEST_CASE("cgroup version 2: the least cpu.max from the process's group to the mount counts") {
  const TempDir root;
  CHECK(granted_cores(root.path()) == 0);
  root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK(granted_cores(root.path()) == 1.5);  // no /proc/self/cgroup: a container's own group
  root.write("proc/self/cgroup", "0::/system.slice/train.service\n");
  const auto grant = [&](const std::string& group, const std::string& text) {
    root.write("sys/fs/cgroup/" + group + "cpu.max", text);
    return granted_cores(root.path());
  };
  CHECK(grant("", "max 100000\n") == 0);
  CHECK(grant("system.slice/train.service/", "400000 100000\n") == 4);
  CHECK(grant("system.slice/", "50000 20000\n") == 2.5);
  CHECK(grant("", "800000 100000\n") == 2.5);
  CHECK(grant("system.slice/train.service/", "max 100000\n") == 2.5);
  CHECK(grant("system.slice/other.service/", "10000 100000\n") == 2.5);
  CHECK(grant("system.slice/", "max 100000\n") == 8);
  CHECK(grant("", "") == 0);
  CHECK(grant("", "x\n") == 0);
  CHECK(grant("", "100000 0\n") == 0);
}

TEST_CASE("cgroup version 1: quota and period of the cpu controller, -1 means no limit") {
  const TempDir root;
  root.write("proc/self/cgroup",
             "9:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n3:cpuset:/docker/ab\n0::/\n");
  const auto grant = [&](const std::string& group, const std::string& quota) {
    root.write("sys/fs/cgroup/" + group + "cpu.cfs_quota_us", quota + "\n");
    root.write("sys/fs/cgroup/" + group + "cpu.cfs_period_us", "100000\n");
    return granted_cores(root.path());
  };
  CHECK(grant("cpu,cpuacct/docker/ab/", "-1") == 0);
  CHECK(grant("cpu,cpuacct/docker/ab/", "300000") == 3);
  CHECK(grant("cpuset/docker/ab/", "100000") == 3);  // not the controller of time
  CHECK(grant("cpu/docker/", "250000") == 2.5);      // the same mount by its other name
  // In a container without a namespace of groups the host's path is not there.
  const TempDir inside;
  inside.write("proc/self/cgroup", "4:cpu,cpuacct:/docker/ab\n");
  inside.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
  inside.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK(granted_cores(inside.path()) == 1.5);
}

TEST_CASE("a group outside what the process sees, and lines that say nothing, set no limit") {
  const TempDir root;
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  root.write("cpu.max", "100000 100000\n");  // above the mount
  root.write("proc/self/cgroup", "0::/../../..\nnothing\n:\n\n");
  CHECK(granted_cores(root.path()) == 2);
}
