#include "letterpress/commandline/output_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"

namespace letterpress {

TEST_CASE("an output may replace its like, an empty file or nothing, and no other file") {
  const TempDir dir;
  const auto message = [&](const std::string& name, std::string_view start) {
    try {
      check_output_file("--out", (dir / name).string(), {"a PNG file", start});
    } catch (const Error& error) {
      CHECK(error.exit() == Exit::cannot_create);
      return std::string(error.what());
    }
    return std::string();
  };
  dir.write("labels.txt", "a.png 1,1,2,2,0\n");
  dir.write("old.png", "\x89PNG...");
  dir.write("short", "\x89P");
  dir.write("empty", "");
  CHECK(message("labels.txt", "\x89PNG") ==
        "--out " + (dir / "labels.txt").string() +
            ": is there and is not a PNG file; name another file, or remove this one");
  CHECK(message("short", "\x89PNG") != "");
  CHECK(message("old.png", "\x89PNG") == "");
  CHECK(message("empty", "\x89PNG") == "");
  CHECK(message("new", "\x89PNG") == "");
  CHECK(message("labels.txt", "") == "");
  CHECK(message("", "").find("is a folder; give the name of a PNG file") != std::string::npos);
  CHECK(message("none/x", "").find("there is no folder ") != std::string::npos);
}

TEST_CASE("the mark of a kind of files may stand behind their begin") {
  const TempDir dir;
  const FileKind kind{"a checkpoint", "{\"", 8};
  const auto check = [&](const std::string& name) {
    check_output_file("--out", (dir / name).string(), kind);
  };
  for (const char* name : {"like", "short"})
    dir.write(name, std::string(name) == "like" ? "12345678{\"a\"" : "1234{\"a\":");
  CHECK_NOTHROW(check("like"));
  CHECK_THROWS_AS(check("short"), Error);
}

TEST_CASE("an output is not a file that is read, under whatever name") {
  const TempDir dir;
  const std::string file = dir.write("a", "x").string();
  std::filesystem::create_symlink(file, dir / "b");
  CHECK_NOTHROW(check_is_not_input("--out", (dir / "c").string(), file, "the truth"));
  CHECK_NOTHROW(check_is_not_input("--out", "", "", "the truth"));
  const std::string other = (dir / "b").string();
  CHECK_THROWS_WITH_AS(check_is_not_input("--out", other, file, "the truth"),
                       ("--out " + other + ": is the truth; name another file").c_str(), Error);
}

TEST_CASE("an output never replaces a device, a link to one, a FIFO or what no name says") {
  const TempDir dir;
  const auto refused = [](const std::string& given) {
    try {
      check_output_file("--out", given, {"a JSON file"});
    } catch (const Error& error) {
      CHECK(error.exit() == Exit::cannot_create);
      return std::string(error.what());
    }
    return std::string();
  };
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/null", dir / "link");
  for (const std::string name : {"/dev/null", "/dev/full", "/dev/stdout", "/dev/new.json"})
    CHECK(refused(name) ==
          "--out " + name + ": is a device, FIFO or socket, which would be replaced; name a file");
  for (const std::string name : {"fifo", "link"})
    CHECK(refused((dir / name).string()).find("is a device, FIFO or socket") != std::string::npos);
  CHECK(refused("") == "--out '': names no file; give the name of a JSON file");
}

}  // namespace letterpress
