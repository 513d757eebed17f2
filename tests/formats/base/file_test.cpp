#include "letterpress/base/file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <set>

#include "letterpress/base/error.h"
#include "tests/formats/base/failing_calls.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("bytes are read and written at their positions") {
  TempDir dir;
  const fs::path name = dir.write("a", "hello world");
  const File file = File::open_to_write(name);
  CHECK(file.size() == 11);
  const std::string there = "there";
  file.write_at(6, std::as_bytes(std::span(there)));
  std::array<char, 5> read{};
  file.read_at(6, std::as_writable_bytes(std::span(read)));
  CHECK(std::string(read.data(), 5) == "there");
  CHECK(read_file(name) == "hello there");
}

TEST_CASE("reading past the end says how much there was") {
  TempDir dir;
  const File file = File::open_to_read(dir.write("a", "12345"));
  std::array<std::byte, 8> bytes{};
  CHECK_THROWS_WITH_AS(file.read_at(2, bytes),
                       doctest::Contains("a: cut short: got 3 of 8 bytes at 2; restore or rebuild"),
                       Error);
}

TEST_CASE("a file that is not there, a folder and a FIFO are told apart without blocking") {
  TempDir dir;
  try {
    read_file(dir / "none");
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).ends_with("none: no such file; check the path"));
    CHECK(error.exit() == Exit::no_input);
  }
  REQUIRE(mkfifo((dir / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(read_file(dir / "fifo"),
                       doctest::Contains("is not a regular file (a folder, FIFO or device)"),
                       Error);
  CHECK_THROWS_WITH_AS(read_file(dir.path()), doctest::Contains("is not a regular file"), Error);
}

TEST_CASE("a buffer is re-used for the next file") {
  TempDir dir;
  std::vector<std::byte> bytes(100);
  read_file(dir.write("a", "xyz"), bytes);
  CHECK(bytes.size() == 3);
  CHECK(bytes[2] == std::byte{'z'});
}

TEST_CASE("a new file has its content, is read-only, and is never replaced") {
  TempDir dir;
  CHECK(write_new_file(dir / "a", "first", dir.path()));
  CHECK_FALSE(write_new_file(dir / "a", "second", dir.path()));
  CHECK(read_file(dir / "a") == "first");
  CHECK(fs::status(dir / "a").permissions() == fs::perms(0444));
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("who may read and write is as umask says") {
  TempDir dir;
  const auto mode = [&](const fs::path& file) {
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    return status.st_mode & 0777U;
  };
  struct Case {
    mode_t mask, folder, file, written_once;
  };
  for (const auto& [mask, folder, file, written_once] :
       {Case{0002, 0775, 0664, 0444}, {0022, 0755, 0644, 0444}, {0077, 0700, 0600, 0400}}) {
    CAPTURE(mask);
    const fs::path at = dir / std::to_string(mask);
    const mode_t before = umask(mask);
    make_folders(at);
    replace_file(at / "file", "x");
    CHECK(write_new_file(at / "once", "x", at));
    umask(before);
    CHECK(mode(at) == folder);
    CHECK(mode(at / "file") == file);
    CHECK(mode(at / "once") == written_once);
  }
}

TEST_CASE("a replaced file has the new content") {
  TempDir dir;
  replace_file(dir / "a", "first");
  replace_file(dir / "a", "second");
  CHECK(read_file(dir / "a") == "second");
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE("a temporary file without a name of its own vanishes") {
  TempDir dir;
  { TemporaryFile temporary(dir.path()); }
  CHECK(fs::is_empty(dir.path()));
  TemporaryFile kept(dir.path());
  TemporaryFile moved(std::move(kept));
  CHECK(files_in(dir.path()) == 1);
}

TEST_CASE(
    "whatever fails while a new file is written, nothing is left, and the message names the file") {
  for (const char* operation : {"open", "write", "sync", "link"}) {
    CAPTURE(operation);
    TempDir dir;
    const Fault fault(operation, EIO);
    const std::string message =
        message_of([&] { static_cast<void>(write_new_file(dir / "a", "text", dir.path())); });
    const std::string named = std::string(operation) == "open"
                                  ? dir.path().string() + ": no file can be created in it: "
                                  : (dir / "a").string() + ": ";
    CHECK_MESSAGE(message.starts_with("74 " + named), message);
    CHECK(message.find("Input/output error") != std::string::npos);
    CHECK(fs::is_empty(dir.path()));
  }
}

TEST_CASE("whatever fails while replacing, the old content stays and the message names it") {
  for (const char* operation : {"open", "write", "sync", "rename"}) {
    CAPTURE(operation);
    TempDir dir;
    dir.write("a", "old");
    {
      const Fault fault(operation, ENOSPC);
      const std::string message = message_of([&] { replace_file(dir / "a", "new"); });
      const std::string named = std::string(operation) == "open"
                                    ? dir.path().string() + ": no file can be created in it: "
                                    : (dir / "a").string() + ": ";
      CHECK_MESSAGE(message.starts_with("74 " + named), message);
      CHECK(
          message.ends_with("free some space or inodes (df, df -i), or name another file system"));
    }
    CHECK(read_file(dir / "a") == "old");
    CHECK(files_in(dir.path()) == 1);
  }
}

TEST_CASE("folders are made with their parents, and what is in the way is named") {
  TempDir dir;
  make_folders(dir / "a/b/c");
  CHECK(fs::is_directory(dir / "a/b/c"));
  CHECK_NOTHROW(make_folders(dir / "a/b/c"));
  dir.write("file", "x");
  fs::create_symlink("nowhere", dir / "dangling");
  fs::create_symlink("file", dir / "link");
  const std::string fix_link = "; name another folder, make the one that it leads to, or remove it";
  for (const auto& [name, told] : std::vector<std::pair<std::string, std::string>>{
           {"file", "it is a file; name another folder, or move the file away"},
           {"dangling", "it is a symbolic link to nowhere, which is not there" + fix_link},
           {"link", "it is a symbolic link to file, which is not a folder" + fix_link}}) {
    CAPTURE(name);
    for (const std::string& below : {name, name + "/store"}) {
      try {
        make_folders(dir / below);
        FAIL("it was made");
      } catch (const Error& error) {
        CHECK(std::string(error.what()) ==
              (dir / name).string() + ": folder cannot be created: File exists: " + told);
        CHECK(error.exit() == Exit::cannot_create);
      }
    }
  }
  const Fault fault("mkdir", EROFS);
  CHECK_THROWS_WITH_AS(make_folders(dir / "new"),
                       doctest::Contains("it is mounted to be read only; name another folder"),
                       Error);
}

TEST_CASE("a folder of a new name each time, given its own name over an empty one") {
  TempDir dir;
  const fs::path one = make_unique_folder(dir.path(), "new-"),
                 other = make_unique_folder(dir.path(), "new-");
  CHECK(one != other);
  CHECK(one.filename().string().size() == 10);
  CHECK(one.filename().string().starts_with("new-"));
  CHECK(fs::status(one).permissions() == fs::perms(0700));
  dir.write(one / "file", "x");
  rename_folder(one, other);
  CHECK_FALSE(fs::exists(one));
  CHECK(read_file(other / "file") == "x");
}

TEST_CASE(
    "a folder that cannot be made, renamed or made durable, and a time that cannot be set, are "
    "errors that name it") {
  TempDir dir;
  const fs::path folder = make_unique_folder(dir.path(), "new-"), file = dir.write("a", "x");
  const auto fails = [](const char* operation, const std::function<void()>& action) {
    const Fault fault(operation, EIO);
    return message_of(action);
  };
  CHECK(fails("mkdir", [&] { make_unique_folder(dir.path(), "new-"); })
            .starts_with("74 " + dir.path().string() +
                         ": no folder can be made in it: Input/output error"));
  CHECK(fails("rename", [&] { rename_folder(folder, dir / "b"); })
            .starts_with("74 " + (dir / "b").string() +
                         ": cannot be given its name (rename): Input/output error"));
  CHECK(fs::exists(folder));
  CHECK(fails("sync", [&] {
          rename_folder(folder, dir / "b");
        }).starts_with("74 " + dir.path().string() + ": folder cannot be made durable (fsync)"));
  CHECK(fails("utime", [&] {
          set_time_to_now(file);
        }).starts_with("74 " + file.string() + ": its time cannot be set"));
  CHECK(fails("rmdir", [&] { discard_folder(dir / "b"); }) == "no error");
  CHECK(fs::exists(dir / "b"));
}

TEST_CASE("a file's time is set to now") {
  TempDir dir;
  const fs::path file = dir.write("a", "x");
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(24));
  set_time_to_now(file);
  CHECK(fs::file_time_type::clock::now() - fs::last_write_time(file) < std::chrono::hours(1));
}

TEST_CASE("removing what is gone already is not an error, failing to remove is one") {
  TempDir dir;
  CHECK_NOTHROW(remove_file(dir / "none"));
  const fs::path file = dir.write("a", "x");
  {
    const Fault fault("unlink", EPERM);
    CHECK_THROWS_WITH_AS(remove_file(file), doctest::Contains("a: cannot be removed"), Error);
  }
  remove_file(file);
  CHECK_FALSE(fs::exists(file));
}

TEST_CASE("a lock is held by one process at a time and dies with its holder") {
  TempDir dir;
  const fs::path name = dir / "lock";
  std::array<int, 2> locked{}, finish{};
  REQUIRE(pipe(locked.data()) == 0);
  REQUIRE(pipe(finish.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  char byte = 0;
  if (child == 0) {
    const FileLock lock(name);
    const bool told = write(locked[1], "x", 1) == 1 && read(finish[0], &byte, 1) == 1;
    _exit(told ? 0 : 1);  // without destructors, as a killed process
  }
  REQUIRE(read(locked[0], &byte, 1) == 1);
  try {
    const FileLock lock(name);
    FAIL("both hold it");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::busy);
    CHECK(
        std::string(error.what())
            .ends_with("lock: another process holds this lock; wait for it to end and try again"));
  }
  REQUIRE(write(finish[1], "x", 1) == 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK_NOTHROW(FileLock{name});
  for (const int descriptor : {locked[0], locked[1], finish[0], finish[1]}) close(descriptor);
}

TEST_CASE("free space is a positive number, or an error names the folder") {
  TempDir dir;
  CHECK(free_bytes(dir.path()) > 0);
  CHECK_THROWS_WITH_AS(free_bytes(dir / "none"),
                       doctest::Contains("none: its free space cannot be read"), Error);
}
