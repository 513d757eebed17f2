#include "letterpress/machine/memory.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("memory is the kernel's numbers, for files at most the container's limit") {
  const TempDir root;
  fs::create_directories(root / "proc");
  fs::create_directories(root / "sys/fs/cgroup");
  root.write(
      "proc/meminfo",
      "MemTotal:       24689764 kB\nMemFree:        1000000 kB\nMemAvailable:   18874368 "
      "kB\nBuffers:          100 kB\nCached:         2097152 kB\nSwapCached:         7 kB\n");
  MachineMemory memory = memory_of_machine(root.path());
  CHECK(memory.total == 24689764LL * 1024);
  CHECK(memory.available == 18LL << 30);
  CHECK(memory.cached == 2LL << 30);
  CHECK(memory.limit == 0);
  CHECK(memory_for_files(memory) == 18LL << 30);
  root.write("sys/fs/cgroup/memory.max", "max\n");
  CHECK(memory_of_machine(root.path()).limit == 0);
  root.write("sys/fs/cgroup/memory.max", "4294967296\n");
  memory = memory_of_machine(root.path());
  CHECK(memory.limit == 4LL << 30);
  CHECK(memory_for_files(memory) == 4LL << 30);
  memory.limit = 64LL << 30;
  CHECK(memory_for_files(memory) == 18LL << 30);
}

TEST_CASE("the least limit of a process's own control group and those above it holds") {
  const TempDir root;
  root.write("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:   8388608 kB\n");
  root.write("proc/self/cgroup", "0::/system.slice/rebuild.service\n");
  root.write("sys/fs/cgroup/system.slice/memory.max", "max\n");
  root.write("sys/fs/cgroup/system.slice/rebuild.service/memory.max", "3221225472\n");
  CHECK(memory_of_machine(root.path()).limit == 3LL << 30);
  root.write("sys/fs/cgroup/system.slice/memory.max", "2147483648\n");
  CHECK(memory_of_machine(root.path()).limit == 2LL << 30);
}

TEST_CASE("a limit of control groups of version 1 holds; one above the machine's memory is none") {
  const TempDir root;
  root.write("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:   8388608 kB\n");
  root.write("proc/self/cgroup", "9:memory:/job\n4:cpu,cpuacct:/other\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(memory_of_machine(root.path()).limit == 0);
  root.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  root.write("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1024\n");
  CHECK(memory_of_machine(root.path()).limit == 1LL << 30);
}
