#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/fault_hook.h"
#include "letterpress/base/file.h"
#include "tests/temp_dir.h"

using namespace letterpress;

TEST_CASE("lines are appended whole, in a file made for the first") {
  TempDir dir;
  append_line(dir / "log", "one");
  append_line(dir / "log", "two");
  CHECK(read_file(dir / "log") == "one\ntwo\n");
}

TEST_CASE("the folder of a new file is made durable with its first line") {
  const TempDir dir;
  std::vector<std::string> synced;
  set_fault_hook([&](std::string_view operation, std::string_view path) {
    if (operation == "sync") synced.emplace_back(path);
    return 0;
  });
  append_line(dir / "log", "one");
  append_line(dir / "log", "two");
  set_fault_hook(nullptr);
  CHECK(synced == std::vector<std::string>{dir / "log", dir.path(), dir / "log"});
}

TEST_CASE("a line that cannot be appended or made durable is an error") {
  for (const char* operation : {"open", "write", "sync"}) {
    CAPTURE(operation);
    TempDir dir;
    set_fault_hook(
        [&](std::string_view asked, std::string_view) { return asked == operation ? EIO : 0; });
    CHECK_THROWS_AS(append_line(dir / "log", "one"), Error);
    set_fault_hook(nullptr);
  }
}
