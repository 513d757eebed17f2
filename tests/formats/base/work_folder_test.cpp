#include "letterpress/base/work_folder.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/contains.h"
#include "tests/formats/base/failing_calls.h"
#include "tests/message_of.h"
#include "tests/temp_dir.h"

namespace letterpress {

namespace fs = std::filesystem;

TEST_CASE("a work folder is removed with what it holds, and one in use stays") {
  const TempDir dir;
  fs::path was;
  {
    const WorkFolder one(dir.path(), "work-");
    was = one.path();
    CHECK(was.parent_path() == dir.path());
    CHECK(was.filename().string().starts_with("work-"));
    replace_file(one / "model.onnx", "bytes");
    const WorkFolder two(dir.path(), "work-");
    CHECK(fs::exists(one / "model.onnx"));
    CHECK(one.path() != two.path());
  }
  CHECK_FALSE(fs::exists(was));
  CHECK(fs::is_empty(dir.path()));
}

TEST_CASE("the next work folder removes what a killed process left, and nothing else") {
  const TempDir dir;
  dir.write("work-killed/lock", "");
  dir.write("work-killed/pictures/a", "x");
  dir.write("else-where/lock", "");
  dir.write("work-file", "x");
  fs::create_directory_symlink(dir / "else-where", dir / "work-link");
  const WorkFolder next(dir.path(), "work-");
  CHECK_FALSE(fs::exists(dir / "work-killed"));
  CHECK(fs::exists(dir / "else-where/lock"));
  CHECK(fs::exists(dir / "work-file"));
  CHECK(fs::is_symlink(dir / "work-link"));
}

TEST_CASE("whatever fails while a work folder is made, nothing is left") {
  for (const char* operation : {"mkdir", "open", "lock", "rename", "sync"}) {
    CAPTURE(operation);
    const TempDir dir;
    const Fault fault(operation, EIO);
    const std::string message = message_of([&] { const WorkFolder work(dir.path(), "work-"); });
    CHECK_MESSAGE(contains(message, "Input/output error"), message);
    CHECK(fs::is_empty(dir.path()));
  }
}

TEST_CASE("where a work folder cannot be made, its parent is named") {
  const TempDir dir;
  CHECK_THROWS_WITH_AS(WorkFolder(dir / "nowhere", "work-"), doctest::Contains("nowhere"), Error);
}

}  // namespace letterpress
