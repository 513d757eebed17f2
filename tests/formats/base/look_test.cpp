#include "letterpress/base/look.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "letterpress/base/error.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

TEST_CASE("what a path names is told as stat has it") {
  const TempDir dir;
  dir.write("file", "x");
  dir.write("folder/file", "x");
  fs::create_symlink("folder", dir / "link");
  fs::create_symlink("circle", dir / "circle");
  CHECK(is_regular_at(dir / "file"));
  CHECK(!is_folder_at(dir / "file"));
  CHECK(is_folder_at(dir / "link"));
  CHECK(type_of_link(dir / "link") == fs::file_type::symlink);
  CHECK(type_of_link(dir / "circle") == fs::file_type::symlink);
  CHECK(type_of_link(dir / "folder") == fs::file_type::directory);
  CHECK(type_of_link(dir / "absent") == fs::file_type::not_found);
  CHECK(type_at("/dev/null") == fs::file_type::unknown);
  for (const fs::path& absent : {dir / "absent", dir / "file/below", dir / "circle",
                                 dir / std::string(300, 'a'), fs::path()})
    CHECK_MESSAGE(!is_there(absent), absent.string());
}

TEST_CASE("only what says that nothing is there is taken for that") {
  for (const int absent : {ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG})
    CHECK(says_absent(absent));
  for (const int failing : {EIO, ESTALE, EMFILE, EINTR, ENOMEM}) CHECK(!says_absent(failing));
}
