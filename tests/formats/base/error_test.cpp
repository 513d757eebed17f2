#include "letterpress/base/error.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "letterpress/base/reject.h"

using namespace letterpress;

TEST_CASE("an error of the system says where, what, why and what to do") {
  const Error full = system_error("/a/b", "cannot be written", ENOSPC);
  CHECK(std::string(full.what()) ==
        "/a/b: cannot be written: No space left on device; free some space or inodes (df, df "
        "-i), or name another file system");
  CHECK(full.exit() == Exit::io);
  const Error refused = system_error("/a/b", "cannot be created", EACCES);
  CHECK(std::string(refused.what()) ==
        "/a/b: cannot be created: Permission denied; give this user write access or name another "
        "folder");
  CHECK(refused.exit() == Exit::io);
  CHECK(std::string(reading_error("/a/b", "folder cannot be read", EACCES).what()) ==
        "/a/b: folder cannot be read: Permission denied; give this user access to it");
  CHECK(std::string(reading_error("/a/b", "cannot be read", EIO).what()) ==
        system_error("/a/b", "cannot be read", EIO).what());
  CHECK(std::string(system_error("/a", "cannot be created", EROFS).what()) ==
        "/a: cannot be created: Read-only file system; it is mounted to be read only; name another "
        "folder");
  CHECK(system_error("/a", "x", EROFS).exit() == Exit::io);
  CHECK(std::string(system_error("/a", "cannot be opened", EMFILE).what()) ==
        "/a: cannot be opened: Too many open files; raise the limit of open files (ulimit -n)");
  CHECK(std::string(system_error("/a", "cannot be read", EIO).what()) ==
        "/a: cannot be read: Input/output error; is the disk failing? see the system's log "
        "(dmesg), then run again");
  CHECK(std::string(system_error("/a", "cannot be written", EDQUOT).what()) ==
        "/a: cannot be written: Disk quota exceeded; free some space, or have this user's quota "
        "raised");
  CHECK(std::string(system_error("/a", "cannot be read", ESTALE).what()) ==
        "/a: cannot be read: Stale file handle; its server has changed: mount it again, then run "
        "again");
}

TEST_CASE("an error is about data unless it says otherwise") {
  CHECK(Error("x").exit() == Exit::data);
  CHECK(static_cast<int>(Exit::data) == 65);
}

TEST_CASE("a message that passes through keeps its parts; its text is as if put together") {
  const Message cut{.where = "a.h5", .what = "cut", .fix = "copy it"}, bare{.what = "cut"};
  CHECK(inside("rank 1", cut).where == "rank 1: a.h5");
  CHECK(inside("rank 1", bare).where == "rank 1");
  CHECK(inside("", cut).where == "a.h5");
  CHECK(with_fix(cut, "or build again").fix == "copy it; or build again");
  CHECK(with_fix(bare, "build again").fix == "build again");
  for (const Message& message : {cut, bare}) {
    CAPTURE(to_string(message));
    CHECK(to_string(inside("rank 1", message)) == "rank 1: " + to_string(message));
    CHECK(to_string(with_fix(message, "or not")) == to_string(message) + "; or not");
    CHECK(to_string(with_remark(message, " (now)")) == to_string(message) + " (now)");
  }
}

TEST_CASE("a reject prints as one line") {
  CHECK(to_string(Reject{"train.txt:3", "centre is outside 0..1", "divide by the image size"}) ==
        "train.txt:3: centre is outside 0..1; divide by the image size");
}

TEST_CASE("an expected value is there, or says why not") {
  const Expected<int> value(7), none(Reject{"a", "b", "c"});
  REQUIRE(value);
  CHECK(*value == 7);
  REQUIRE_FALSE(none);
  CHECK(none.reject().what == "b");
}
