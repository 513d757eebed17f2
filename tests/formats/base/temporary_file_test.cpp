#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <set>
#include <span>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "tests/formats/base/failing_calls.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("leftovers of killed processes are removed by their names, nothing else is") {
  const TempDir dir;
  for (const char* name : {"4711-1700000000.123456789-0", "1-2.3-4"}) dir.write(name, "half");
  for (const char* name : {"1-2.3-", "1-2-3-4", "-2.3-4", "1-2.3-4x", "lock", "2024-01.02-a"})
    dir.write(name, "kept");
  TemporaryFile mine(dir.path());
  CHECK(mine.path().filename().string().find_first_not_of("0123456789-.") == std::string::npos);
  remove_temporary_files(dir.path());
  CHECK_FALSE(std::filesystem::exists(mine.path()));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    names.insert(entry.path().filename().string());
  CHECK(names ==
        std::set<std::string>{"1-2.3-", "1-2-3-4", "-2.3-4", "1-2.3-4x", "lock", "2024-01.02-a"});
  CHECK_THROWS_WITH_AS(remove_temporary_files(dir / "none"),
                       doctest::Contains("folder cannot be read"), Error);
}

TEST_CASE("where there are no hard links a file gets its name by a rename that replaces nothing") {
  for (const int without : {EPERM, EOPNOTSUPP, ENOSYS}) {
    CAPTURE(without);
    TempDir dir;
    const fs::path name = dir / "a";
    const Fault fault("link", without);
    CHECK(write_new_file(name, "first", dir.path()));
    CHECK_FALSE(write_new_file(name, "second", dir.path()));
    CHECK(read_file(name) == "first");
    CHECK(files_in(dir.path()) == 1);
    struct stat status {};
    REQUIRE(::stat(name.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0444);
  }
}

TEST_CASE("no message has the unique name of a temporary file: its folder's or its own to be") {
  const TempDir dir;
  const std::string folder = dir.path().string(), name = (dir / "a").string();
  const auto failing = [&](const char* operation, const auto& work) {
    const Fault fault(operation, ENOSPC);
    return message_of(work);
  };
  const std::string full =
      "No space left on device; free some space or inodes (df, df -i), or name another file system";
  CHECK(failing("open", [&] { const TemporaryFile file(dir.path()); }) ==
        "74 " + folder + ": no file can be created in it: " + full);
  TemporaryFile file(dir.path());
  const auto byte = std::as_bytes(std::span("a", 1));
  CHECK(failing("write", [&] { file.file().write_at(0, byte); }) ==
        "74 " + folder + ": cannot be written: " + full);
  CHECK(failing("write", [&] { file.write_at(0, byte, name); }) ==
        "74 " + name + ": cannot be written: " + full);
  const auto by_path = [](const fs::path& path) {
    throw Error({.where = path.string() + ":1", .what = "of " + path.string()}, Exit::io);
  };
  CHECK(message_of([&] { file.under_name(name, by_path); }) == "74 " + name + ":1: of " + name);
  CHECK(file.under_name(name, [](const fs::path& path) { return path; }) == file.path());
}

TEST_CASE("a file system that cannot publish or lock is refused with what helps") {
  TempDir dir;
  const fs::path name = dir / "a";
  set_fault_hook([](std::string_view asked, std::string_view) {
    return asked == "link" ? EPERM : asked == "rename" ? EINVAL : asked == "lock" ? ENOLCK : 0;
  });
  const std::string published = message_of([&] {
    const bool done = write_new_file(name, "first", dir.path());
    CHECK_FALSE(done);
  });
  const std::string locked = message_of([&] { const FileLock lock(dir / "lock"); });
  set_fault_hook(nullptr);
  CHECK(published == "73 " + name.string() +
                         ": its file system has neither hard links nor renaming without replacing, "
                         "one of which it takes to publish a file; put the store on another one, "
                         "for instance ext4, XFS or NFS");
  CHECK(locked == "73 " + (dir / "lock").string() +
                      ": its file system has no locks (flock: No locks available); mount it with "
                      "locks (Lustre: -o flock; NFS: with a lock manager), or put the store on "
                      "another one");
  CHECK_FALSE(fs::exists(name));
}
