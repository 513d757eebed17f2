// Classes that have lost all their labels while others came.
#include <doctest/doctest.h>

#include "tests/preprocess/heard_notes.h"

namespace letterpress {

TEST_CASE("a class that has gone while another came proposes a rename") {
  DrawnSet set;
  set.pictures(3);
  const BuildOptions options = set.options();
  CHECK(notes_of_build(options) == "");
  set.list("classes.txt", "cat\nhound\nbird\n");
  CHECK(notes_of_build(options) ==
        "no label is of class 'dog' any more, and 'hound' is new: if that is only another name, "
        "pass --rename-class dog=hound\n");
}

TEST_CASE("of several classes that have gone, only names that look alike are proposed as pairs") {
  const auto note_of = [](const std::string& names) {
    DrawnSet set;
    set.pictures(3);
    const BuildOptions options = set.options();
    CHECK(notes_of_build(options) == "");
    set.list("classes.txt", names);
    return notes_of_build(options);
  };
  const std::string start = "no label is of class 'cat', 'dog' any more, and ";
  const std::string each =
      " are new: if some are only other names, pass --rename-class OLD=NEW for each";
  CHECK(note_of("hound\nkitten\nbird\n") == start + "'hound', 'kitten'" + each + "\n");
  // By their order cat would be dogs.
  CHECK(note_of("dogs\ncats\nbird\n") ==
        start + "'dogs', 'cats'" + each +
            "; those that look alike: --rename-class cat=cats --rename-class dog=dogs\n");
  // Either may be cat.
  CHECK(note_of("cats\nCat\nbird\n") == start + "'cats', 'Cat'" + each + "\n");
}

}  // namespace letterpress
