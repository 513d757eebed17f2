#include "letterpress/machine/disk_trial.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/contains.h"
#include "tests/formats/base/failing_calls.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("a disk is tried by writing, reading and publishing, and nothing stays") {
  const TempDir dir;
  const DiskTrial trial = try_disk(dir.path());
  CHECK(trial.fault.empty());
  CHECK(trial.bytes_free > 0);
  CHECK(trial.written_per_s > 0);
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("why no store can lie there is said, and nothing stays") {
  const TempDir dir;
  const auto fault = [&](const std::string& operation, int error) {
    const Fault failing(operation, error);
    return try_disk(dir.path()).fault;
  };
  CHECK_CONTAINS(fault("lock", ENOLCK), "its file system has no locks (flock: No locks available)");
  CHECK_CONTAINS(fault("mkdir", EROFS), "Read-only file system");
  CHECK_CONTAINS(fault("sync", EIO), "cannot be made durable (fsync)");
  CHECK(fault("link", EPERM).empty());  // a rename does
  CHECK(fs::is_empty(dir.path()));
  CHECK_CONTAINS(try_disk(dir / "gone").fault, (dir / "gone").string());
}
