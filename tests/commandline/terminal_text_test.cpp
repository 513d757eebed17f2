#include "letterpress/commandline/terminal_text.h"

#include <doctest/doctest.h>

#include "letterpress/commandline/progress.h"

namespace letterpress {

TEST_CASE("control characters are shown by their numbers, text of any language as it is") {
  CHECK(terminal_text("a\x1b[31mb\x07\r\x7f") == "a\\x1B[31mb\\x07\\x0D\\x7F");
  CHECK(terminal_text("line\n\tnext é 漢") == "line\n\tnext é 漢");
  CHECK(terminal_text("\xC2\x9B"
                      "2J \xC2\xA0") == "\\x9B2J \xC2\xA0");
  CHECK(terminal_text(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(terminal_text("\xC2") == "\xC2");
  CHECK(terminal_line("a\tb\nc é") == "a\\x09b\\x0Ac é");
}

TEST_CASE("durations and sizes read as people write them") {
  CHECK(duration_text(0.44) == "0.4 s");
  CHECK(duration_text(12.4) == "12 s");
  CHECK(duration_text(90) == "2 min");
  CHECK(duration_text(3900) == "1 h 05 min");
}

}  // namespace letterpress
