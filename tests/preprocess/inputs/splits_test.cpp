#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "letterpress/base/error.h"
#include "many_pictures.h"
#include "preprocess/options/split_key.h"

namespace letterpress {

TEST_CASE("shares are numbers of 0..1 or percentages; anything else is none") {
  CHECK(parse_share("0.1") == 0.1);
  CHECK(parse_share("1") == 1.0);
  CHECK(parse_share("0") == 0.0);
  CHECK(parse_share("12.5%") == 0.125);
  for (const char* text : {"", "val.txt", "0.1.txt", "1.5", "-0.1", "101%", "nan", "%", "0.1 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_share(text));
  }
}

TEST_CASE("a share moves that many train pictures to val, at least one of two, and only train's") {
  struct Case {
    int pictures;
    double share;
    std::int64_t val;
  };
  for (const Case& one : {Case{1, 0.1, 0}, Case{2, 0.1, 1}, Case{6, 0.1, 1}, Case{14, 0.1, 1},
                          Case{15, 0.1, 2}, Case{100, 0.1, 10}, Case{4000, 0.25, 1000}}) {
    CAPTURE(one.pictures);
    Inputs inputs = many(one.pictures);
    inputs.candidates.push_back(candidate("t.png", "test"));
    assign_val_share(inputs, one.share, "");
    CHECK(val_count(inputs) == one.val);
    CHECK(inputs.candidates.back().split == "test");
  }
}

TEST_CASE(
    "copies of a picture count once and stay together; one that is in another split is not drawn") {
  Inputs inputs = many(20);
  for (int i = 0; i < 20; ++i) inputs.candidates.push_back(inputs.candidates[0]);
  inputs.candidates.push_back(inputs.candidates[1]);
  inputs.candidates.back().split = "test";
  assign_val_share(inputs, 0.5, "");
  std::map<Hash128, std::set<std::string>> splits;
  for (const Candidate& c : inputs.candidates) {
    if (c.split != "test") splits[c.picture_hash].insert(c.split);
  }
  std::int64_t val = 0;
  for (const auto& [hash, names] : splits) {
    CHECK(names.size() == 1);
    val += names.contains("val");
  }
  CHECK(val == 10);  // of the 19 that no other split has, 9.5
  CHECK(inputs.candidates[1].split == "train");
}

TEST_CASE("the choice depends on the pictures alone, not on their order") {
  Inputs forwards = many(100), backwards = many(100);
  std::reverse(backwards.candidates.begin(), backwards.candidates.end());
  assign_val_share(forwards, 0.3, "");
  assign_val_share(backwards, 0.3, "");
  std::reverse(backwards.candidates.begin(), backwards.candidates.end());
  CHECK(splits_of(forwards) == splits_of(backwards));
}

TEST_CASE("where val has lost its pictures and train keeps its own, the line tells so") {
  struct Notes : BuildListener {
    std::vector<std::string> texts;
    void note(const std::string& text) override { texts.push_back(text); }
  };
  Inputs before = many(16);
  assign_val_share(before, 0.25, "");
  CHECK(val_count(before) == 4);
  const EarlierSplits earlier = splits_after(before, true);
  Inputs left = many(16);
  for (std::size_t i = 16; i-- > 0;) {
    if (before.candidates[i].split == "val")
      left.candidates.erase(left.candidates.begin() + static_cast<std::ptrdiff_t>(i));
  }
  BuildOptions options;
  options.val = "0.25";
  Notes notes;
  assign_val_share(left, 0.25, "", earlier);
  note_splits(left, options, notes);
  CHECK(notes.texts == std::vector<std::string>{
                           "--val 0.25: no picture is in val; the last build had 12 in train, "
                           "which stay there: add pictures, pass another share, which divides all "
                           "anew, or name a label file"});
  left.candidates.push_back(candidate("new.png"));
  assign_val_share(left, 0.25, "", earlier);
  notes.texts.clear();
  note_splits(left, options, notes);
  CHECK(notes.texts.empty());
  CHECK(left.candidates.back().split == "val");
}

TEST_CASE("with the share of the last build no picture moves, and val is filled up from new ones") {
  Inputs before = many(50);
  assign_val_share(before, 0.2, "");
  Inputs now = many(100);
  const EarlierSplits earlier = splits_after(before, true);
  assign_val_share(now, 0.2, "", earlier);
  for (std::size_t i = 0; i < 50; ++i) CHECK(now.candidates[i].split == before.candidates[i].split);
  CHECK(val_count(now) == 20);
  // Fewer than before: those in val are too many, and stay.
  Inputs fewer = many(10);
  assign_val_share(fewer, 0.2, "", splits_after(now, true));
  for (std::size_t i = 0; i < 10; ++i) CHECK(fewer.candidates[i].split == now.candidates[i].split);
}

TEST_CASE("an edited picture keeps its split by its path, a renamed one by its bytes") {
  Inputs before = many(40);
  assign_val_share(before, 0.5, "");
  const EarlierSplits earlier = splits_after(before, true);
  Inputs now = many(40);
  for (std::size_t i = 0; i < 40; ++i) {
    Candidate& c = now.candidates[i];
    if (i % 2) c.picture_hash = hash128("edited" + c.item.name);
    if (i % 2 == 0) c.item.path = c.item.name = "/elsewhere/" + c.item.name;
  }
  assign_val_share(now, 0.5, "", earlier);
  CHECK(splits_of(now) == splits_of(before));
}

TEST_CASE("another share keeps in val what is there, as far as it asks for so many") {
  Inputs before = many(100);
  assign_val_share(before, 0.2, "");
  const EarlierSplits earlier = splits_after(before, false);
  for (const auto& [share, pictures] : {std::pair{0.4, 40}, std::pair{0.1, 10}}) {
    CAPTURE(share);
    Inputs now = many(100);
    assign_val_share(now, share, "", earlier);
    CHECK(val_count(now) == pictures);
    for (std::size_t i = 0; i < 100; ++i) {
      const bool was = before.candidates[i].split == "val", is = now.candidates[i].split == "val";
      CHECK((pictures > 20 ? is || !was : was || !is));
    }
  }
}

TEST_CASE("shares 0 and 1 take none and all") {
  Inputs none = many(100), all = many(100);
  assign_val_share(none, 0, "");
  assign_val_share(all, 1, "");
  CHECK(val_count(none) == 0);
  CHECK(val_count(all) == 100);
}

}  // namespace letterpress
