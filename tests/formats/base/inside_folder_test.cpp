#include "letterpress/base/inside_folder.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"

namespace letterpress {
namespace fs = std::filesystem;

TEST_CASE("a path lies in a folder, however both are named and whether they are there or not") {
  const TempDir dir;
  fs::create_directories(dir / "a/b");
  fs::create_directory_symlink(dir / "a", dir / "link");
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  for (const fs::path& folder : {fs::path("a"), fs::path("./a"), fs::path("link"), dir / "a"}) {
    CAPTURE(folder);
    for (const fs::path& path : {fs::path("a"), fs::path("a/b"), fs::path("a/none/f"),
                                 fs::path("link/none"), dir / "a/none", fs::path("a/../a/b")}) {
      CAPTURE(path);
      CHECK(is_inside(path, folder));
    }
    for (const fs::path& path :
         {fs::path("b"), fs::path("none"), fs::path("a/../b"), dir.path(), fs::path("ab/c")}) {
      CAPTURE(path);
      CHECK_FALSE(is_inside(path, folder));
    }
  }
  CHECK(is_inside("none/f", "none"));
  CHECK(is_inside("none", "."));
  fs::current_path(before);
}

}  // namespace letterpress
