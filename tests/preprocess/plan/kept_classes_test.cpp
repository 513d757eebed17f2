// Class lists of another order where pictures or labels have been written again.
#include <doctest/doctest.h>

#include <array>

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

TEST_CASE("one picture whose label was corrected does not refuse an order that labels follow") {
  DrawnSet set;
  const auto write = [&](const std::string& names, const std::string& first,
                         const std::string& others) {
    for (int i = 0; i < 4; ++i) {
      const std::string name = "p" + std::to_string(i);
      set.picture("images/" + name + ".png", i);
      set.folder.write("labels/" + name + ".txt", (i == 0 ? first : others) + "\n");
    }
    set.folder.write("data.yaml", "train: images\nnames: " + names + "\n");
    return set.options_of("data.yaml");
  };
  const std::string at = " 0.5 0.5 0.25 0.25", elsewhere = " 0.2 0.2 0.1 0.1";
  build_quietly(write("[cat, dog, bird]", "0" + at, "2" + at));
  // The cat of p0 was a dog, whose id is 0 now, and there is a cat.
  const BuildOptions options = write("[dog, cat, bird]", "0" + at + "\n1" + elsewhere, "2" + at);
  CHECK_CONTAINS(notes_of_build(options),
                 "no picture of that build shows whether its labels follow it");
  CHECK(Store::open(options.store).latest()->generation == 2);
}

TEST_CASE("other pictures under the names of earlier ones prove no order by chance") {
  DrawnSet set;
  const auto write = [&](const std::string& names, const std::array<int, 4>& ids, int seed) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::string name = "p" + std::to_string(i);
      set.picture("images/" + name + ".png", seed + static_cast<int>(i));
      set.folder.write("labels/" + name + ".txt", std::to_string(ids[i]) + " 0.5 0.5 1 1\n");
    }
    set.folder.write("data.yaml", "train: images\nnames: " + names + "\n");
    return set.options_of("data.yaml");
  };
  build_quietly(write("[cat, dog]", {0, 1, 0, 1}, 0));
  const BuildOptions others = write("[dog, cat]", {0, 0, 1, 1}, 70);
  CHECK_CONTAINS(notes_of_build(others),
                 "no picture of that build shows whether its labels follow it");
  CHECK(Store::open(others.store).latest()->generation == 2);
}

}  // namespace letterpress
