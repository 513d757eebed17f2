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
