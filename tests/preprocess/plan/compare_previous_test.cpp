#include "preprocess/plan/compare_previous.h"

#include <doctest/doctest.h>

#include "tests/contains.h"
#include "tests/preprocess/heard_notes.h"

namespace letterpress {

TEST_CASE(
    "a picture that could not be decoded is rejected again with the same words; a changed one is "
    "tried") {
  Inputs inputs;
  Previous previous;
  for (const char* name : {"a", "b", "c"}) {
    LedgerEntry& entry = previous.ledger.emplace_back();
    entry.picture_hash = hash128(name);
    entry.width = entry.height = 10;
    inputs.candidates.emplace_back().picture_hash = entry.picture_hash;
  }
  previous.ledger[0].state = previous.ledger[1].state = InputState::rejected;
  previous.ledger[0].reason = "cannot be decoded: cut; twice; copy it again";
  previous.ledger[1].width = 0;  // its header was the problem: that is looked at again anyway
  inputs.candidates[0].item.where = "train.txt:1";
  inputs.candidates[0].item.path = "/set/a.png";
  carry_rejects(inputs, previous);
  REQUIRE(inputs.candidates[0].reject);
  CHECK(to_string(*inputs.candidates[0].reject) ==
        "train.txt:1: /set/a.png: cannot be decoded: cut; twice; copy it again");
  CHECK(ledger_reason(*inputs.candidates[0].reject) == previous.ledger[0].reason);
  CHECK_FALSE(inputs.candidates[1].reject);
  CHECK_FALSE(inputs.candidates[2].reject);
}

TEST_CASE("pictures of another size with the boxes that they had are told, scaled ones are not") {
  DrawnSet set;
  set.pictures(4);
  const BuildOptions options = set.options();
  notes_of_build(options);
  set.folder.write("p1.png", drawn_png(1, 120, 90));
  set.folder.write("p2.png", drawn_png(2, 120, 90));
  set.picture("p3.png", 33);  // of the same size
  set.list("train.txt",
           DrawnSet::line(0) + DrawnSet::line(1) + "p2.png 15,15,60,51,0\n" + DrawnSet::line(3));
  const std::string path = (std::filesystem::canonical(set.folder.path()) / "p1.png").string();
  CHECK_CONTAINS(notes_of_build(options),
                 "pictures of another size with the very boxes that they had in snapshot 1: 1, the "
                 "first, " +
                     path +
                     " was 80x60 and is 120x90: are their labels of the earlier pictures? Look at "
                     "`preview`\n");
}

}  // namespace letterpress
