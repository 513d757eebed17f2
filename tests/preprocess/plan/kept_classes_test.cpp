// Class lists of another order where pictures or labels have been written again.
#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"

namespace letterpress {
namespace {

/// Three pictures of classes 0, 1 and 2 in a YOLO set.
BuildOptions yolo_of(const DrawnSet& set, const std::string& names, const std::string& at,
                     int seed = 0) {
  for (int i = 0; i < 3; ++i) {
    const std::string name = "p" + std::to_string(i);
    set.picture("images/" + name + ".png", seed + i);
    set.folder.write("labels/" + name + ".txt", std::to_string(i) + " " + at + " 0.5 0.25 0.25\n");
  }
  set.folder.write("data.yaml", "train: images\nnames: " + names + "\n");
  return set.options_of("data.yaml");
}

}  // namespace

TEST_CASE(
    "the order is refused where pictures were saved again, or boxes written in other digits") {
  struct Case {
    const char* at;  // of the boxes' middle
    int seed;        // of the pictures
  };
  for (const auto& [at, seed] : {Case{"0.5", 60}, Case{"0.500001", 0}}) {
    CAPTURE(at);
    DrawnSet set;
    build_quietly(yolo_of(set, "[cat, dog, bird]", "0.5"));
    const BuildOptions reversed = yolo_of(set, "[bird, dog, cat]", at, seed);
    CHECK_CONTAINS(message_of([&] { build_quietly(reversed); }),
                   "its class list has another order than in the last build and its labels have "
                   "the old ids, so " +
                       (set.folder / "images/p0.png").string());
    CHECK(Store::open(reversed.store).latest()->generation == 1);
  }
}

TEST_CASE("labels that were edited and follow the new order are read by it, without a note") {
  DrawnSet set;
  build_quietly(yolo_of(set, "[cat, dog, bird]", "0.5"));
  const BuildOptions reversed = yolo_of(set, "[bird, dog, cat]", "0.500001");
  for (int i = 0; i < 3; ++i) {
    set.folder.write("labels/p" + std::to_string(i) + ".txt",
                     std::to_string(2 - i) + " 0.500001 0.5 0.25 0.25\n");
  }
  CHECK(notes_of_build(reversed) == "");
  CHECK(Store::open(reversed.store).latest()->generation == 2);
  // Of boxes that lie elsewhere nobody can tell.
  CHECK_CONTAINS(notes_of_build(yolo_of(set, "[cat, dog, bird]", "0.7")),
                 "no picture of that build shows whether its labels follow it");
}

}  // namespace letterpress
