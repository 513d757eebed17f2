#include <doctest/doctest.h>

#include "tests/preprocess/heard_notes.h"

namespace letterpress {

TEST_CASE("an expression that matches no name is refused with one of them; some are counted") {
  DrawnSet set;
  set.pictures(4);
  BuildOptions options = set.options();
  options.val = "0.25";
  options.group = "camera([0-9]+)";
  CHECK(message_of([&] { build_quietly(options); }) ==
        "64 --group camera([0-9]+): matches the name of no picture, such as 'p0.png'; nothing was "
        "published; write an expression that finds a part of these names, or pass 'auto', 'none' "
        "or 'folder'");
  CHECK_FALSE(std::filesystem::exists(options.store / "snapshots" / "00000001.json"));
  options.group = "p[1-3]";
  CHECK(notes_of_build(options) ==
        "--group p[1-3] matches the names of 3 of 4 pictures; of the others, such as 'p0.png', "
        "each is a group of its own\n");
  options.group = "p([0-9])";
  CHECK(notes_of_build(options) == "");
  // Of no effect without a share.
  options.val = "0";
  options.group = "camera";
  CHECK(notes_of_build(options) == "");
}

}  // namespace letterpress
