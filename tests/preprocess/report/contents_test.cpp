#include "preprocess/report/contents.h"

#include <doctest/doctest.h>

using namespace letterpress;

namespace {

LedgerEntry entry(const std::string& name, const std::string& picture, const std::string& labels,
                  const std::string& split = "train") {
  LedgerEntry result;
  result.path = "/set/" + name;
  result.name = name;
  result.picture_hash = hash128(picture);
  result.labels_hash = hash128(labels);
  result.split = split;
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "pictures are compared by their bytes: added, removed, with other labels, split or name") {
  std::vector<LedgerEntry> before{entry("a", "A", "1"), entry("b", "B", "1"), entry("c", "C", "1"),
                                  entry("d", "D", "1"), entry("e", "E", "1")};
  std::vector<LedgerEntry> now{entry("a", "A", "1"), entry("b", "B", "2"),
                               entry("c", "C", "1", "val"), entry("d2", "D", "1"),
                               entry("f", "F", "1")};
  LedgerEntry out = entry("g", "G", "1");
  out.state = InputState::rejected;
  now.push_back(out);  // neither new nor removed: it was not stored
  before.push_back(out);
  Snapshot old_snapshot, new_snapshot;
  old_snapshot.statistics.boxes_per_class = {{"cat", 5}, {"dog", 2}};
  new_snapshot.statistics.boxes_per_class = {{"cat", 5}, {"emu", 1}};
  old_snapshot.statistics.pictures_per_class = {{"cat", 3}};
  new_snapshot.statistics.pictures_per_class = {{"cat", 2}, {"emu", 4}};
  const Changes changes = compare(old_snapshot, before, new_snapshot, now);
  CHECK(changes.added == Names{"f"});
  CHECK(changes.removed == Names{"e"});
  CHECK(changes.relabelled == Names{"b"});
  CHECK(changes.moved == Names{"c (train to val)"});
  CHECK(changes.renamed == Names{"d to d2"});
  CHECK(changes.boxes_per_class.at("dog") == std::array<std::int64_t, 2>{2, 0});
  CHECK(changes.boxes_per_class.at("emu") == std::array<std::int64_t, 2>{0, 1});
  CHECK(changes.pictures_per_class == Changes::PerClass{{"cat", {3, 2}}, {"emu", {0, 4}}});
}
