// What --val SHARE says of splits that it does not make, and of groups that are too large for it.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"

namespace letterpress {
namespace {

constexpr const char* kNotLookedAt =
    " pictures of other splits are where their files state it; whether they show what train shows "
    "was not looked at (`letterpress-preprocess lint` tells)\n";

}  // namespace

TEST_CASE("--val SHARE beside a split that is stated says that nobody has looked at that") {
  DrawnSet set;
  set.pictures(12);
  BuildOptions options = set.options();
  options.val = "0.25";
  CHECK(notes_of_build(options).find("not looked at") == std::string::npos);
  set.list("test.txt", DrawnSet::line(3) + DrawnSet::line(4));
  options = set.options("other");
  options.splits = {{"test", set.folder / "test.txt"}};
  options.val = "0.25";
  for (const char* group : {"auto", "none", "folder"}) {
    CAPTURE(group);
    options.group = group;
    options.store = set.folder / group;
    CHECK_CONTAINS(notes_of_build(options), std::string("2") + kNotLookedAt);
  }
  // A night in which nothing has changed is quiet.
  CHECK(notes_of_build(options).find("not looked at") == std::string::npos);
}

TEST_CASE("groups that are much larger than the share are told with their numbers") {
  DrawnSet set;
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    const std::string name = (i < 10 ? "a" : "b") + std::to_string(i) + ".png";
    set.picture(name, i);
    lines += name + " 10,10,40,30,0\n";
  }
  set.list("train.txt", lines);
  BuildOptions options = set.options();
  options.group = "^(.)";
  options.val = "0.05";
  CHECK_CONTAINS(notes_of_build(options),
                 "val gets 10 of 20 pictures where the share asks for 1: pictures of one scene or "
                 "group stay together; add pictures of others, or state val by a label file\n");
  CHECK(notes_of_build(options).find("asks for") == std::string::npos);  // stays so
  options.store = set.folder / "half";
  options.val = "0.5";
  CHECK(notes_of_build(options).find("asks for") == std::string::npos);
}

}  // namespace letterpress
