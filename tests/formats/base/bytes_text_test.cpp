#include "letterpress/base/bytes_text.h"

#include <doctest/doctest.h>

using namespace letterpress;

TEST_CASE("bytes as people write them") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(3.2 * 1024 * 1024) == "3.2 MiB");
  CHECK(bytes_text(256.0 * 1024 * 1024) == "256 MiB");
}
