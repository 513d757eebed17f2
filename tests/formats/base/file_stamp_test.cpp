#include "letterpress/base/file_stamp.h"

#include <doctest/doctest.h>

#include "tests/temp_dir.h"

namespace letterpress {

TEST_CASE("only regular files have a stamp") {
  TempDir dir;
  dir.write("f", "12345");
  CHECK(file_stamp((dir / "f").string()).value().size == 5);
  CHECK_FALSE(file_stamp(dir.path().string()));
  CHECK_FALSE(file_stamp((dir / "absent").string()));
}

}  // namespace letterpress
