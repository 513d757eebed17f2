#include "letterpress/base/folder.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
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
}
