#include "letterpress/base/own_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "letterpress/base/file.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("a file of one's own is read, up to a size, and told where it is too large") {
  TempDir dir;
  CHECK(read_own_file(dir.write("a", "hello"), 5) == "hello");
  CHECK(message_of([&] { read_own_file(dir / "a", 4); }) ==
        "65 " + (dir / "a").string() +
            ": has 5 bytes, must have at most 4; restore it from a copy");
  fs::resize_file(dir / "a", std::uintmax_t{1} << 40);  // sparse
  CHECK(message_of([&] { read_own_file(dir / "a", 1000); }) ==
        "65 " + (dir / "a").string() +
            ": has 1099511627776 bytes, must have at most 1000; restore it from a copy");
  CHECK(message_of([&] { read_own_file(dir / "none", 4); }) ==
        "66 " + (dir / "none").string() + ": no such file; check the path");
}

TEST_CASE("links, folders, FIFOs and devices are not files of one's own") {
  TempDir dir;
  fs::create_symlink(dir.write("a", "hello"), dir / "link");
  fs::create_symlink("nowhere", dir / "dangling");
  fs::create_symlink("loop", dir / "loop");
  for (const char* name : {"link", "dangling", "loop"}) {
    CAPTURE(name);
    CHECK(message_of([&] { read_own_file(dir / name, 100); }) ==
          "65 " + (dir / name).string() +
              ": is a symbolic link, must be a file itself; put a copy of what it names in its "
              "place");
    CHECK(message_of([&] { check_no_link(dir / name, "move it"); }) ==
          "78 " + (dir / name).string() +
              ": is a symbolic link, which may lead out of the store; move it");
  }
  REQUIRE(mkfifo((dir / "fifo").c_str(), 0644) == 0);
  fs::create_directory(dir / "folder");
  for (const char* name : {"fifo", "folder"}) {
    CAPTURE(name);
    CHECK(message_of([&] { check_own_file(dir / name); }) ==
          "65 " + (dir / name).string() +
              ": is not a regular file (a folder, FIFO or device); restore it from a copy");
    CHECK_NOTHROW(check_no_link(dir / name, ""));
  }
  CHECK_NOTHROW(check_own_file(dir / "none"));
  CHECK_NOTHROW(check_no_link(dir / "none", ""));
}

TEST_CASE("of a link to a folder, the link alone is removed") {
  TempDir dir;
  dir.write("outside/a", "hello");
  dir.write("folder/b", "x");
  fs::create_directory_symlink(dir / "outside", dir / "link");
  fs::create_directory_symlink(dir / "outside", dir / "folder/link");
  remove_folder(dir / "link");
  remove_folder(dir / "folder");
  CHECK_FALSE(fs::exists(fs::symlink_status(dir / "link")));
  CHECK_FALSE(fs::exists(dir / "folder"));
  CHECK(read_file(dir / "outside/a") == "hello");
}
