// Pictures that share a split: of one folder, one match of --group, or one scene.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "letterpress/base/error.h"
#include "many_pictures.h"
#include "preprocess/options/split_key.h"

namespace letterpress {
namespace {

// One scene of the pictures from `first` on.
void join(std::unordered_map<Hash128, Hash128>& scene_of, const Inputs& inputs,
          std::initializer_list<std::size_t> pictures) {
  const Hash128 key = inputs.candidates[*pictures.begin()].picture_hash;
  for (const std::size_t i : pictures) scene_of[inputs.candidates[i].picture_hash] = key;
}

}  // namespace

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

TEST_CASE("pictures of one scene share a split") {
  Inputs inputs = many(100);
  std::unordered_map<Hash128, Hash128> scene_of;
  for (std::size_t i = 0; i < 100; i += 4) join(scene_of, inputs, {i, i + 1, i + 2, i + 3});
  CHECK(assign_val_share(inputs, 0.2, "auto", {}, scene_of) == TornGroups{});
  const std::vector<std::string> splits = splits_of(inputs);
  for (std::size_t i = 0; i < splits.size(); ++i) CHECK(splits[i] == splits[i / 4 * 4]);
  CHECK(val_count(inputs) == 20);
}

TEST_CASE("a picture of val that its owner puts into a folder of train is told of") {
  Inputs before = many(40);
  assign_val_share(before, 0.25, "folder");
  Inputs now = before;
  const auto of_val = std::ranges::find(now.candidates, "val", &Candidate::split);
  const auto of_train = std::ranges::find(now.candidates, "train", &Candidate::split);
  const std::string folder = of_train->item.name.substr(0, of_train->item.name.find('/') + 1);
  of_val->item.path = "/data/" + (of_val->item.name = folder + "moved.png");
  for (Candidate& one : now.candidates) one.split = "train";
  const TornGroups torn = assign_val_share(now, 0.25, "folder", splits_after(before, true));
  CHECK(torn.n == 1);
  CHECK(torn.example.starts_with(folder));
  CHECK(torn.new_pictures == 0);
  CHECK(splits_of(now) == splits_of(before));
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
  const std::string example = now.candidates[std::min(val, train)].item.name;
  CHECK(assign_val_share(now, 0.5, "auto", earlier, scene_of) == TornGroups{1, example, 1});
  for (std::size_t i = 0; i < 40; ++i) CHECK(now.candidates[i].split == before.candidates[i].split);
  CHECK(now.candidates[40].split == "val");
  // Those that join one scene follow it.
  scene_of.clear();
  now = many(40);
  now.candidates.push_back(candidate("follows-val.png"));
  now.candidates.push_back(candidate("follows-train.png"));
  join(scene_of, now, {val, 40});
  join(scene_of, now, {train, 41});
  CHECK(assign_val_share(now, 0.5, "auto", earlier, scene_of) == TornGroups{});
  CHECK(now.candidates[40].split == "val");
  CHECK(now.candidates[41].split == "train");
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
