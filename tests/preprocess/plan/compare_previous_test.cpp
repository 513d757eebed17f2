#include "preprocess/plan/compare_previous.h"

#include <doctest/doctest.h>

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

}  // namespace letterpress
