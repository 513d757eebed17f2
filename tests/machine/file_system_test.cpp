#include "letterpress/machine/file_system.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("the memory's file system is local memory; what is not known counts as remote") {
  const FileSystem memory = file_system_of("/dev/shm");
  if (memory.name == "tmpfs") {  // no container must have one
    CHECK(memory.local);
    CHECK(memory.is_memory);
  }
  const FileSystem processes = file_system_of("/proc");
  CHECK(processes.name == "an unknown file system");
  CHECK_FALSE(processes.local);
  const TempDir dir;
  CHECK(file_system_of(dir / "gone").name == "an unknown file system");
}
