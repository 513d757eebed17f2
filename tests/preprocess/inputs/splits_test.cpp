#include "preprocess/inputs/splits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "letterpress/base/error.h"
#include "preprocess/inputs/split_key.h"

namespace letterpress {
namespace {

Candidate candidate(const std::string& name, const std::string& split = "train") {
  Candidate result;
  result.item.name = name;
  result.item.path = "/data/" + name;
  result.split = split;
  result.picture_hash = hash128(name);
  return result;
}

std::vector<std::string> splits_of(const Inputs& inputs) {
  std::vector<std::string> splits;
  for (const Candidate& c : inputs.candidates) splits.push_back(c.split);
  return splits;
}

Inputs many(int n) {
  Inputs inputs;
  inputs.label_folders = {"/data"};
  for (int i = 0; i < n; ++i)
    inputs.candidates.push_back(
        candidate("day" + std::to_string(i / 10) + "/" + std::to_string(i) + ".png"));
  return inputs;
}

// What the next build knows of these.
EarlierSplits splits_after(const Inputs& inputs, bool same_share) {
  EarlierSplits earlier{.same_share = same_share};
  for (const Candidate& c : inputs.candidates) {
    earlier.bytes_in_val.emplace(c.picture_hash, c.split == "val");
    earlier.path_in_val.emplace(c.item.path, c.split == "val");
  }
  return earlier;
}

std::int64_t val_count(const Inputs& inputs) {
  std::int64_t n = 0;
  for (const Candidate& c : inputs.candidates) n += c.split == "val" ? 1 : 0;
  return n;
}

}  // namespace

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

TEST_CASE("folders that hold copies of each other's pictures are one group, and count once") {
  Inputs inputs = many(100);
  for (int i = 0; i < 30; ++i) {  // of day0, day1 and day2
    Candidate copy = inputs.candidates[static_cast<std::size_t>(i)];
    copy.item.path = "/data/copies/" + std::to_string(i) + ".png";
    inputs.candidates.push_back(std::move(copy));
  }
  assign_val_share(inputs, 0.1, "folder");
  std::map<Hash128, std::set<std::string>> splits;
  for (const Candidate& c : inputs.candidates) splits[c.picture_hash].insert(c.split);
  std::int64_t val = 0;
  for (const auto& [hash, names] : splits) {
    CHECK(names.size() == 1);
    val += names.contains("val");
  }
  CHECK(val == 10);  // one of the seven folders without copies; the other three are 30 together
}

TEST_CASE("the choice depends on the pictures alone, not on their order") {
  Inputs forwards = many(100), backwards = many(100);
  std::reverse(backwards.candidates.begin(), backwards.candidates.end());
  assign_val_share(forwards, 0.3, "");
  assign_val_share(backwards, 0.3, "");
  std::reverse(backwards.candidates.begin(), backwards.candidates.end());
  CHECK(splits_of(forwards) == splits_of(backwards));
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

TEST_CASE("a new picture follows its group, which the last build has placed") {
  Inputs before = many(100);
  assign_val_share(before, 0.3, "folder");
  Inputs now = many(100);
  const EarlierSplits earlier = splits_after(before, true);
  for (std::size_t i = 0; i < 100; i += 10)
    now.candidates.push_back(candidate("day" + std::to_string(i / 10) + "/new.png"));
  assign_val_share(now, 0.3, "folder", earlier);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(now.candidates[100 + i].split == before.candidates[i * 10].split);
}

// One scene of the pictures from `first` on.
void join(std::unordered_map<Hash128, Hash128>& scene_of, const Inputs& inputs,
          std::initializer_list<std::size_t> pictures) {
  const Hash128 key = inputs.candidates[*pictures.begin()].picture_hash;
  for (const std::size_t i : pictures) scene_of[inputs.candidates[i].picture_hash] = key;
}

TEST_CASE("pictures of one scene share a split") {
  Inputs inputs = many(100);
  std::unordered_map<Hash128, Hash128> scene_of;
  for (std::size_t i = 0; i < 100; i += 4) join(scene_of, inputs, {i, i + 1, i + 2, i + 3});
  CHECK(assign_val_share(inputs, 0.2, "auto", {}, scene_of) == 0);
  const std::vector<std::string> splits = splits_of(inputs);
  for (std::size_t i = 0; i < splits.size(); ++i) CHECK(splits[i] == splits[i / 4 * 4]);
  CHECK(val_count(inputs) == 20);
}

TEST_CASE("a new picture that joins a scene in val with one in train goes to val, none moves") {
  Inputs before = many(40);
  assign_val_share(before, 0.5, "auto");
  const EarlierSplits earlier = splits_after(before, true);
  const auto in = [&](const char* split) {
    const auto found = std::ranges::find(before.candidates, split, &Candidate::split);
    return static_cast<std::size_t>(found - before.candidates.begin());
  };
  Inputs now = many(40);
  now.candidates.push_back(candidate("joins.png"));
  std::unordered_map<Hash128, Hash128> scene_of;
  const std::size_t val = in("val"), train = in("train");
  join(scene_of, now, {val, train, 40});
  CHECK(assign_val_share(now, 0.5, "auto", earlier, scene_of) == 1);
  for (std::size_t i = 0; i < 40; ++i) CHECK(now.candidates[i].split == before.candidates[i].split);
  CHECK(now.candidates[40].split == "val");
  // Those that join one scene follow it.
  scene_of.clear();
  now = many(40);
  now.candidates.push_back(candidate("follows-val.png"));
  now.candidates.push_back(candidate("follows-train.png"));
  join(scene_of, now, {val, 40});
  join(scene_of, now, {train, 41});
  CHECK(assign_val_share(now, 0.5, "auto", earlier, scene_of) == 0);
  CHECK(now.candidates[40].split == "val");
  CHECK(now.candidates[41].split == "train");
}

TEST_CASE("shares 0 and 1 take none and all") {
  Inputs none = many(100), all = many(100);
  assign_val_share(none, 0, "");
  assign_val_share(all, 1, "");
  CHECK(val_count(none) == 0);
  CHECK(val_count(all) == 100);
}

TEST_CASE("pictures of one folder, or of one match, share a split") {
  for (const char* group : {"folder", "^day([0-9]+)/", "day[0-9]+"}) {
    CAPTURE(group);
    Inputs inputs = many(1000);
    assign_val_share(inputs, 0.3, group);
    const std::vector<std::string> splits = splits_of(inputs);
    for (std::size_t i = 0; i < splits.size(); ++i) CHECK(splits[i] == splits[i / 10 * 10]);
    CHECK(val_count(inputs) > 0);
    CHECK(val_count(inputs) < 1000);
  }
}

TEST_CASE("a folder is the picture's, not its name's, and the same wherever the set is mounted") {
  Inputs here = many(300), there = many(300);
  there.label_folders = {"/mnt/b/labels/Main"};
  here.label_folders = {"/data/labels/Main"};
  for (Candidate& c : there.candidates) c.item.path = "/mnt/b/" + c.item.name;
  for (Inputs* inputs : {&here, &there}) {
    // As VOC and COCO name them.
    for (Candidate& c : inputs->candidates)
      c.item.name = std::filesystem::path(c.item.name).filename().string();
    assign_val_share(*inputs, 0.3, "folder");
  }
  const std::vector<std::string> splits = splits_of(here);
  for (std::size_t i = 0; i < splits.size(); ++i) CHECK(splits[i] == splits[i / 10 * 10]);
  CHECK(val_count(here) > 0);
  CHECK(val_count(here) < 300);
  CHECK(splits == splits_of(there));
}

TEST_CASE("names that the expression does not match are groups of their own") {
  Inputs with = many(200), without = many(200);
  assign_val_share(with, 0.3, "camera([0-9]+)");
  assign_val_share(without, 0.3, "");
  CHECK(splits_of(with) == splits_of(without));
}

TEST_CASE("an expression that cannot be parsed names the flag and what it takes") {
  CHECK_THROWS_WITH_AS(
      SplitKey("(day"),
      doctest::Contains("--group (day: must be 'auto', 'none', 'folder' or a regular expression ("),
      Error);
}

}  // namespace letterpress
