#include "preprocess/plan/repack.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "preprocess/pipeline/build.h"
#include "preprocess/plan/row_places.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {
namespace {

// A kept clean shard whose first `alive` of `rows` rows are the next pictures'.
void add_shard(Plan& plan, std::int64_t rows, std::int64_t alive,
               const std::string& split = "train") {
  const auto index = static_cast<std::int32_t>(plan.snapshot.shards.size());
  SnapshotShard shard{
      .digest = hash128(std::to_string(index)), .split = split, .rows = rows, .max_boxes = 8};
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row >= alive) {
      shard.dead.push_back(row);
      continue;
    }
    LedgerEntry entry;
    entry.split = split;
    entry.boxes = 1;
    entry.rows = {{index, row, 0, 1}};
    plan.ledger.push_back(entry);
  }
  plan.snapshot.shards.push_back(shard);
}

std::vector<std::int64_t> rows_of(const Plan& plan) {
  std::vector<std::int64_t> rows;
  for (const SnapshotShard& shard : plan.snapshot.shards) rows.push_back(shard.rows);
  return rows;
}

BuildOptions small_shards(const DrawnSet& set) {
  BuildOptions options = set.options();
  options.shard_bytes = 8 * 64 * 64 * 3;
  return options;
}

// Reads no picture in the stage that makes rows.
class Counter : public BuildListener {
 public:
  void stage(const std::string& label, std::int64_t total, const std::string&) override {
    totals[label] = total;
  }
  std::map<std::string, std::int64_t> totals;
};

}  // namespace

TEST_CASE("a shard is repacked when more than a quarter is dead, not at a quarter") {
  Plan quarter, more;
  add_shard(quarter, 8, 6);
  repack(8, quarter);
  CHECK(quarter.shards.empty());
  add_shard(more, 8, 5);
  repack(8, more);
  REQUIRE(more.shards.size() == 1);
  CHECK(rows_of(more) == std::vector<std::int64_t>{5});
  CHECK(more.sources == std::vector<Hash128>{hash128("0")});
  CHECK(more.shards[0].index == 0);
  CHECK(more.ledger[4].rows == std::vector<RowRun>{{0, 4, 0, 1}});
}

TEST_CASE("tails under half full join; one alone stays, and so do other splits' and full ones") {
  Plan plan;
  add_shard(plan, 8, 8);
  add_shard(plan, 3, 3);
  add_shard(plan, 2, 2, "val");
  repack(8, plan);
  CHECK(plan.shards.empty());
  add_shard(plan, 2, 2);
  add_shard(plan, 4, 4);  // half full
  repack(8, plan);
  REQUIRE(plan.shards.size() == 1);
  CHECK(rows_of(plan) == std::vector<std::int64_t>{8, 2, 4, 5});
  CHECK(plan.shards[0].index == 3);
  CHECK(plan.snapshot.shards[3].split == "train");
  CHECK(plan.sources == std::vector<Hash128>{hash128("1"), hash128("3")});
  // All runs point where their rows went, and no further.
  for (const LedgerEntry& entry : plan.ledger) {
    for (const RowRun& run : entry.rows)
      CHECK(run.row + run.n <= plan.snapshot.shards.at(static_cast<std::size_t>(run.shard)).rows);
  }
}

TEST_CASE("a picture's views stay together, and M is what the living need") {
  Plan plan;
  SnapshotShard shard{.digest = hash128("a"),
                      .split = "train",
                      .augmented = true,
                      .rows = 12,
                      .max_boxes = 32,
                      .dead = {0, 1, 2}};
  plan.snapshot.shards.push_back(shard);
  shard.digest = hash128("b");
  shard.dead = {3, 4, 5, 6, 7, 8};
  plan.snapshot.shards.push_back(shard);
  for (const auto& [index, row] :
       {std::pair{0, 3}, std::pair{0, 6}, std::pair{1, 9}, std::pair{1, 0}, std::pair{0, 9}}) {
    LedgerEntry entry;
    entry.split = "train";
    entry.boxes = 9;
    entry.rows = {{index, row, 1, 3}};
    plan.ledger.push_back(entry);
  }
  repack(8, plan);
  // Shard a has lost only a quarter. b's two pictures fill 6 of 8 rows.
  CHECK(rows_of(plan) == std::vector<std::int64_t>{12, 6});
  CHECK(plan.snapshot.shards[1].max_boxes == 16);
  CHECK(plan.ledger[2].rows == std::vector<RowRun>{{1, 3, 1, 3}});
  CHECK(plan.ledger[3].rows == std::vector<RowRun>{{1, 0, 1, 3}});
  CHECK(plan.shards[0].copies[3].row == 9);
}

TEST_CASE("rows are copied shard by shard, though the names of pictures do not sort by arrival") {
  Plan plan;
  for (int shard = 0; shard < 6; ++shard) add_shard(plan, 3, 3);
  // As by name: one picture of each shard after the other.
  std::ranges::stable_sort(plan.ledger, {}, [](const LedgerEntry& one) { return one.rows[0].row; });
  repack(8, plan);
  CHECK(rows_of(plan) == std::vector<std::int64_t>{8, 8, 2});
  std::vector<std::int64_t> sources;
  for (const PlannedShard& shard : plan.shards) {
    for (const CopiedRow& copy : shard.copies) {
      sources.push_back(copy.source);
      const RowRun& run = plan.ledger[static_cast<std::size_t>(copy.entry)].rows[0];
      CHECK(&plan.shards[static_cast<std::size_t>(run.shard)] == &shard);
      CHECK(shard.copies[static_cast<std::size_t>(run.row)].entry == copy.entry);
    }
  }
  CHECK(sources == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5});
}

TEST_CASE(
    "deleting many pictures copies the rows of the others, byte for byte, and decodes none; the "
    "next build writes nothing") {
  DrawnSet set;
  set.pictures(12);
  BuildOptions options = small_shards(set);
  build_quietly(options);
  const auto before = row_contents(options.store);
  std::string lines;
  for (const int i : {0, 3, 5, 6, 9, 11}) lines += DrawnSet::line(i);
  set.list("train.txt", lines);
  Counter counter;
  const BuildReport report = build(options, counter, kNoStop);
  CHECK(report.published);
  CHECK(report.rows_new == 0);
  CHECK(report.rows_copied == 18);
  CHECK(counter.totals.at("repacking") == 18);
  CHECK(counter.totals.at("preparing") == 0);
  const auto after = row_contents(options.store);
  CHECK(after.size() == 18);
  for (const auto& [key, content] : after) CHECK(before.at(key) == content);
  const Snapshot snapshot = Store::open(options.store).latest().value();
  for (const SnapshotShard& shard : snapshot.shards) CHECK(shard.dead.empty());
  const auto files = listing(options.store);
  CHECK_FALSE(build_quietly(options).published);
  CHECK(listing(options.store) == files);
}

TEST_CASE("pictures that come one by one do not leave one shard each") {
  DrawnSet set;
  set.pictures(10);
  std::string lines;
  const BuildOptions options = small_shards(set);
  for (int i = 0; i < 10; ++i) {
    lines += DrawnSet::line(i);
    set.list("train.txt", lines);
    CHECK(build_quietly(options).rows_new == 3);
  }
  CHECK(Store::open(options.store).latest()->shards.size() ==
        10);  // by hand: 4 + 4 + 1 + 1 clean rows, 4 + 4 + 4 + 4 + 2 + 2 augmented
  CHECK(row_contents(options.store).size() == 30);
}

TEST_CASE(
    "a row that the disk damaged is not copied: the shard, the row and the picture are named, "
    "nothing is published") {
  DrawnSet set;
  set.pictures(12);
  const BuildOptions options = small_shards(set);
  build_quietly(options);
  const Store store = Store::open(options.store);
  const std::filesystem::path shard = store.shard_path(store.latest()->shards.at(0).digest);
  std::string bytes = file_text(shard);
  bytes[static_cast<std::size_t>(ShardReader(shard).stored_pixels(0).offset) + 100] ^= 1;
  std::filesystem::remove(shard);
  std::ofstream(shard, std::ios::binary) << bytes;
  set.list("train.txt", DrawnSet::line(0) + DrawnSet::line(1));
  CHECK(message_of([&] {
          build_quietly(options);
        }).find(shard.string() + ": row 0 (p0.png) is damaged") != std::string::npos);
  CHECK(store.generations() == std::vector<std::int64_t>{1});
}

}  // namespace letterpress
