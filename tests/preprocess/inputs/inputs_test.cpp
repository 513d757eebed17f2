#include "preprocess/inputs/inputs.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

LabelBox box(float x1, float y1, float x2, float y2, std::int32_t id = 0) {
  return {x1, y1, x2, y2, id};
}

Candidate candidate(const std::string& bytes, const std::string& split,
                    std::vector<LabelBox> boxes) {
  Candidate result;
  result.item.name = result.item.path = bytes + ".png";
  result.item.where = "list.txt:1";
  result.item.boxes = boxes;
  result.picture_hash = hash128(bytes);
  result.split = split;
  result.width = 100;
  result.height = 100;
  result.boxes = std::move(boxes);
  return result;
}

}  // namespace

TEST_CASE("equal bytes are kept once, with the boxes of both, identical ones once") {
  Inputs inputs;
  inputs.candidates = {
      candidate("a", "train", {box(0, 0, 5, 5), box(1, 1, 9, 9)}),
      candidate("b", "train", {box(0, 0, 5, 5)}),
      candidate("a", "train", {box(1, 1, 9, 9), box(2, 2, 3, 3), box(1, 1, 9, 9, 2)})};
  inputs.boxes_found = 6;
  merge_duplicates(inputs);
  CHECK(inputs.candidates[0].boxes ==
        std::vector{box(0, 0, 5, 5), box(1, 1, 9, 9), box(2, 2, 3, 3), box(1, 1, 9, 9, 2)});
  CHECK(inputs.candidates[1].duplicate_of == -1);
  CHECK(inputs.candidates[2].duplicate_of == 0);
  CHECK(inputs.boxes_merged == 1);
  const Accounting sums = account(inputs);
  CHECK(sums.pictures_found == 3);
  CHECK(sums.pictures_stored == 2);
  CHECK(sums.pictures_duplicate == 1);
  CHECK(sums.boxes_stored == 5);
  check_identities(sums);
}

TEST_CASE("equal boxes within one label line are two boxes, not a merge") {
  Inputs inputs;
  inputs.candidates = {candidate("a", "train", {box(0, 0, 5, 5), box(0, 0, 5, 5)})};
  merge_duplicates(inputs);
  CHECK(inputs.candidates[0].boxes.size() == 2);
  CHECK(inputs.boxes_merged == 0);
}

TEST_CASE("a picture in two splits stays in val and is counted; else it leaves train") {
  for (const auto& [first, second, kept, moved] :
       {std::tuple{"train", "val", "val", 1}, std::tuple{"val", "train", "val", 1},
        std::tuple{"train", "test", "test", 0}, std::tuple{"test", "val", "val", 1},
        std::tuple{"val", "val", "val", 0}}) {
    CAPTURE(first);
    CAPTURE(second);
    Inputs inputs;
    inputs.candidates = {candidate("a", first, {}), candidate("a", second, {})};
    merge_duplicates(inputs);
    CHECK(inputs.candidates[0].split == kept);
    CHECK(inputs.candidates[1].split == kept);
    CHECK(inputs.moved_to_val == moved);
    CHECK(inputs.moved_elsewhere.size() == (kept == std::string("test") ? 1 : 0));
  }
}

TEST_CASE("a rejected picture takes its boxes with it in the accounts") {
  Inputs inputs;
  inputs.candidates = {candidate("a", "train", {box(0, 0, 5, 5)}),
                       candidate("b", "train", {box(0, 0, 5, 5), box(1, 1, 2, 2)}),
                       candidate("c", "train", {})};
  inputs.boxes_found = 3;
  inputs.candidates[1].reject = std::make_shared<const Reject>(Reject{"b", "bad", "fix it"});
  const Accounting sums = account(inputs);
  CHECK(sums.pictures_rejected == 1);
  CHECK(sums.pictures_background == 1);
  CHECK(sums.boxes_rejected == 2);
  CHECK(sums.boxes_stored == 1);
  check_identities(sums);
}

TEST_CASE("accounts that do not add up are a bug, with both sums") {
  Accounting sums;
  sums.pictures_found = 3;
  sums.pictures_stored = 2;
  const std::string message = message_of([&] { check_identities(sums); });
  CHECK(
      message.starts_with("70 the accounts do not add up: pictures found 3, stored + duplicate + "
                          "rejected 2; boxes found 0"));
}

TEST_CASE("--max-boxes names the picture, or keeps the largest in the label file's order") {
  const auto crowded = [] {
    Inputs inputs;
    inputs.candidates = {candidate(
        "a", "train", {box(0, 0, 9, 9), box(0, 0, 2, 2), box(0, 0, 50, 50), box(0, 0, 3, 3)})};
    inputs.boxes_found = 4;
    return inputs;
  };
  BuildOptions options;
  options.max_boxes = 2;
  Inputs inputs = crowded();
  CHECK(message_of([&] { limit_boxes(inputs, options); }) ==
        "65 list.txt:1: a.png has 4 boxes, --max-boxes allows 2; raise it, or keep the largest "
        "with --on-overflow largest");
  options.on_overflow = Overflow::largest;
  inputs = crowded();
  limit_boxes(inputs, options);
  CHECK(inputs.candidates[0].boxes == std::vector{box(0, 0, 9, 9), box(0, 0, 50, 50)});
  CHECK(inputs.boxes_rejected == 2);
  CHECK(to_string(inputs.box_rejects.at(0)) ==
        "list.txt:1: 2 of 4 boxes over --max-boxes 2, the smallest left out; raise --max-boxes to "
        "keep them");
  check_identities(account(inputs));
  options.max_boxes = 4;
  inputs = crowded();
  limit_boxes(inputs, options);
  CHECK(inputs.candidates[0].boxes.size() == 4);
}

TEST_CASE("the hash of labels is by class name and sees every part of a box") {
  const std::vector<LabelBox> boxes{box(0, 0, 5, 5, 0), box(1, 1, 9, 9, 1)};
  const Hash128 hash = hash_labels(boxes, -1, {"cat", "dog"});
  std::vector<LabelBox> renumbered{box(0, 0, 5, 5, 2), box(1, 1, 9, 9, 0)};
  CHECK(hash_labels(renumbered, -1, {"dog", "bird", "cat"}) == hash);
  CHECK(hash_labels(boxes, -1, {"cat", "bird"}) != hash);
  CHECK(hash_labels(boxes, 0, {"cat", "dog"}) != hash);
  for (const auto change :
       {+[](LabelBox& b) { b.x1 = 0.5f; }, +[](LabelBox& b) { b.y1 = 0.5f; },
        +[](LabelBox& b) { b.x2 = 6; }, +[](LabelBox& b) { b.y2 = 6; },
        +[](LabelBox& b) { b.class_id = 1; }, +[](LabelBox& b) { b.flags = kCrowd; },
        +[](LabelBox& b) { b.area = 3; },
        +[](LabelBox& b) {
          b.outline = {{0, 0}, {1, 0}, {0, 1}};
        }}) {
    std::vector<LabelBox> changed = boxes;
    change(changed[0]);
    CHECK(hash_labels(changed, -1, {"cat", "dog"}) != hash);
  }
}

TEST_CASE("a box that a copy of the picture has too takes its outline, unless it has one") {
  const std::vector<OutlinePoint> first{{0, 0}, {9, 0}, {0, 9}}, second{{0, 0}, {8, 0}, {0, 8}};
  for (const Duplicates differing : {Duplicates::unite, Duplicates::first}) {
    Inputs inputs;
    std::vector<LabelBox> plain{box(0, 0, 5, 5), box(1, 1, 9, 9)}, outlined = plain;
    plain[1].outline = first;
    outlined[0].outline = outlined[1].outline = second;
    inputs.candidates = {candidate("a", "train", plain), candidate("a", "train", outlined)};
    inputs.boxes_found = 4;
    merge_duplicates(inputs, differing);
    const std::vector<LabelBox>& boxes = inputs.candidates[0].boxes;
    REQUIRE(boxes.size() == 2);
    CHECK(boxes[0].outline ==
          (differing == Duplicates::unite ? second : std::vector<OutlinePoint>()));
    CHECK(boxes[1].outline == first);
  }
}

// The order that the hash has had since before boxes had outlines: rows stay where it is the same.
TEST_CASE("the hash of labels without outlines is that of corners, area, flags and class") {
  Hasher hasher;
  hasher.add_value(std::uint64_t{1});
  for (const float value : {0.0f, 1.0f, 5.0f, 6.0f, -1.0f}) hasher.add_value(value);
  hasher.add_value(std::uint8_t{0}).add("dog").add_value('\n').add("");
  CHECK(hash_labels({box(0, 1, 5, 6, 1)}, -1, {"cat", "dog"}) == hasher.digest128());
}

TEST_CASE("the hash of labels sees every corner of an outline") {
  std::vector<LabelBox> boxes{box(0, 0, 5, 5, 0)};
  boxes[0].outline = {{0, 0}, {9, 0}, {0, 9}};
  const Hash128 hash = hash_labels(boxes, -1, {"cat"});
  for (const auto change :
       {+[](LabelBox& b) { b.outline[1].x = 8; }, +[](LabelBox& b) { b.outline[2].y = 8; },
        +[](LabelBox& b) { b.outline.pop_back(); }, +[](LabelBox& b) { b.outline.clear(); }}) {
    std::vector<LabelBox> changed = boxes;
    change(changed[0]);
    CHECK(hash_labels(changed, -1, {"cat"}) != hash);
  }
}

TEST_CASE("class ids are for life: the store's list grows at the end and label files map by name") {
  DrawnSet set;
  set.pictures(1);
  set.list("train.txt", "p0.png 1,1,9,9,0 1,1,9,9,1 1,1,9,9,2\n");
  const BuildOptions options = set.options();
  const Inputs inputs = gather(options, {"dog", "zebra"});
  CHECK(inputs.classes == std::vector<std::string>{"dog", "zebra", "cat", "bird"});
  const std::vector<LabelBox>& boxes = inputs.candidates[0].item.boxes;
  CHECK(boxes.at(0).class_id == 2);
  CHECK(boxes.at(1).class_id == 0);
  CHECK(boxes.at(2).class_id == 3);
}

TEST_CASE("inputs, --val and --split give their pictures their split") {
  DrawnSet set;
  set.pictures(4);
  set.list("a.txt", DrawnSet::line(0));
  set.list("b.txt", DrawnSet::line(1));
  set.list("v.txt", DrawnSet::line(2));
  set.list("t.txt", DrawnSet::line(3));
  BuildOptions options = set.options();
  options.inputs = {set.folder / "a.txt", set.folder / "b.txt"};
  options.val = (set.folder / "v.txt").string();
  options.splits = {{"test", set.folder / "t.txt"}};
  const Inputs inputs = gather(options, {});
  std::map<std::string, std::string> splits;
  for (const Candidate& c : inputs.candidates) splits[c.item.name] = c.split;
  CHECK(splits ==
        std::map<std::string, std::string>{
            {"p0.png", "train"}, {"p1.png", "train"}, {"p2.png", "val"}, {"p3.png", "test"}});
  CHECK(inputs.recognised.size() == 4);
}

}  // namespace letterpress
