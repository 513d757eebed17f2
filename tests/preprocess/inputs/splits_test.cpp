#include "preprocess/inputs/splits.h"

#include <doctest/doctest.h>

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

TEST_CASE("a share moves about that many train pictures to val, and only train pictures") {
  Inputs inputs = many(4000);
  inputs.candidates.push_back(candidate("t.png", "test"));
  assign_val_share(inputs, 0.25, "");
  // 4000 draws at 0.25: standard deviation 27.
  CHECK(val_count(inputs) > 1000 - 5 * 27);
  CHECK(val_count(inputs) < 1000 + 5 * 27);
  CHECK(inputs.candidates[inputs.candidates.size() - 1].split == "test");
}

TEST_CASE("a picture's place does not depend on which others there are, and grows with the share") {
  Inputs all = many(500), half = many(250), more = many(500);
  assign_val_share(all, 0.2, "");
  assign_val_share(half, 0.2, "");
  assign_val_share(more, 0.4, "");
  for (std::size_t i = 0; i < half.candidates.size(); ++i)
    CHECK(half.candidates[i].split == all.candidates[i].split);
  for (std::size_t i = 0; i < all.candidates.size(); ++i) {
    if (all.candidates[i].split == "val") CHECK(more.candidates[i].split == "val");
  }
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
      doctest::Contains("--group (day: must be 'folder' or a regular expression ("), Error);
}

}  // namespace letterpress
