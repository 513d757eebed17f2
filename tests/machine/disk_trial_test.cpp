#include "letterpress/machine/disk_trial.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "letterpress/base/fault_hook.h"
#include "tests/contains.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

// What is found where these calls fail.
DiskTrial tried(const fs::path& folder, std::string_view operation, int error) {
  set_fault_hook(
      [=](std::string_view asked, std::string_view) { return asked == operation ? error : 0; });
  DiskTrial trial = try_disk(folder);
  set_fault_hook(nullptr);
  return trial;
}

}  // namespace

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
  const auto fault = [&](std::string_view operation, int error) {
    return tried(dir.path(), operation, error).fault;
  };
  CHECK_CONTAINS(fault("lock", ENOLCK), "its file system has no locks (flock: No locks available)");
  CHECK_CONTAINS(fault("mkdir", EROFS), "Read-only file system");
  CHECK_CONTAINS(fault("sync", EIO), "cannot be made durable (fsync)");
  CHECK(fault("link", EPERM).empty());  // a rename does
  CHECK(fs::is_empty(dir.path()));
  CHECK_CONTAINS(try_disk(dir / "gone").fault, (dir / "gone").string());
}
