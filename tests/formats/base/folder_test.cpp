#include "letterpress/base/folder.h"

#include <dirent.h>
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "letterpress/base/error.h"
#include "letterpress/base/inside_folder.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("what is in a folder is told sorted, whatever it is") {
  const TempDir dir;
  dir.write("b", "x");
  dir.write("c/d", "x");
  fs::create_symlink("nowhere", dir / "a");
  CHECK(entries_of(dir.path()) == std::vector<fs::path>{dir / "a", dir / "b", dir / "c"});
  CHECK(entries_of(dir / "c") == std::vector<fs::path>{dir / "c/d"});
  CHECK(names_in(dir.path()) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("each entry of a folder is visited once, with what it is; of no folder there is none") {
  const TempDir dir;
  dir.write("file", "x");
  dir.write("folder/file", "x");
  fs::create_symlink("file", dir / "link");
  std::map<std::string, int> seen;
  const auto add = [&](std::string_view name, unsigned char type) {
    CHECK(seen.emplace(name, type).second);
  };
  visit_entries(dir.path().string(), add);
  CHECK(seen == std::map<std::string, int>{{"file", DT_REG}, {"folder", DT_DIR}, {"link", DT_LNK}});
  visit_entries_if_any((dir / "absent").string(), add);
  visit_entries_if_any((dir / "file").string(), add);
  CHECK(seen.size() == 3);
  seen.clear();
  visit_entries_if_any(dir.path().string(), add);
  CHECK(seen.size() == 3);
  CHECK_THROWS_WITH_AS(visit_entries((dir / "absent").string(), add),
                       doctest::Contains("folder cannot be read: No such file"), Error);
}

TEST_CASE("the folder of a bare name is the working folder") {
  CHECK(folder_of("a/b.txt") == "a");
  CHECK(folder_of("/a") == "/");
  CHECK(folder_of("b.txt") == ".");
}

TEST_CASE("a folder that cannot be read is named") {
  const TempDir dir;
  CHECK_THROWS_WITH_AS(
      entries_of(dir / "absent"),
      ((dir / "absent").string() + ": folder cannot be read: No such file or directory").c_str(),
      Error);
  CHECK_THROWS_AS(visit_names(dir / "absent", [](std::string_view) {}), Error);
  const fs::filesystem_error refused("status", dir / "x",
                                     std::make_error_code(std::errc::permission_denied));
  CHECK(error_of(refused).exit() == Exit::io);
  const fs::filesystem_error unnamed("status", std::make_error_code(std::errc::io_error));
  CHECK(std::string(error_of(unnamed).what()).starts_with("a folder: cannot be examined: "));
  CHECK(std::string(error_of(refused).what()) ==
        (dir / "x").string() +
            ": cannot be examined: Permission denied; give this user access to it");
}

TEST_CASE("a path is inside a folder by where links lead, whether or not anything is there") {
  const TempDir dir;
  fs::create_directories(dir / "store/..shards");
  fs::create_directory_symlink("store", dir / "link");
  fs::create_symlink("circle", dir / "circle");
  CHECK(is_inside(dir / "store", dir / "store"));
  CHECK(is_inside(dir / "store/..shards/x", dir / "store"));
  CHECK(is_inside(dir / "link/new", dir / "store"));
  CHECK_FALSE(is_inside(dir / "storehouse", dir / "store"));
  CHECK_FALSE(is_inside(dir / "store/../other", dir / "store"));
  CHECK_FALSE(is_inside(dir.path(), dir / "store"));
  CHECK_FALSE(is_inside(dir / "circle/x", dir / "store"));
}
