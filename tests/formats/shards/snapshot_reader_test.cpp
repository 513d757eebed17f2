#include <doctest/doctest.h>
#include <sys/resource.h>

#include "flip.h"
#include "letterpress/base/error.h"
#include "letterpress/shards/store.h"
#include "tests/temp_dir.h"

using namespace letterpress;
namespace fs = std::filesystem;

namespace {

struct Row {
  std::string picture;
  std::int32_t view;
};

// Publishes a shard with one row per entry into the store and names it in the snapshot.
void add_shard(const Store& store, Snapshot& snapshot, const std::string& split,
               const std::vector<Row>& rows) {
  ShardSpec spec{.side = 32, .max_boxes = 8};
  for (const Row& row : rows) spec.names.push_back(row.picture);
  ShardWriter writer(store.temporary_folder(), spec);
  const std::vector<std::uint8_t> image(32 * 32 * 3, 114);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    writer.write_row(static_cast<std::int64_t>(i),
                     {.source_hash = hash128(rows[i].picture), .view = rows[i].view}, image);
  }
  snapshot.identity.side = 32;
  snapshot.shards.push_back({.digest = writer.finish(store.shards_folder()),
                             .split = split,
                             .augmented = rows.front().view > 0,
                             .rows = static_cast<std::int64_t>(rows.size()),
                             .max_boxes = 8});
}

struct Sample {
  TempDir dir;
  Store store = Store::create(dir / "store");
  Snapshot snapshot{.generation = 3};
  Sample() {
    add_shard(store, snapshot, "train", {{"a", 0}, {"b", 0}, {"dead", -1}, {"c", 0}});
    add_shard(store, snapshot, "train",
              {{"b", 1}, {"b", 2}, {"a", 1}, {"a", 2}, {"c", 1}, {"c", 2}});
    add_shard(store, snapshot, "val", {{"d", 0}});
    REQUIRE(store.publish(snapshot, {}));
  }
};

}  // namespace

TEST_CASE("pictures of a split come by source hash with the places of their views") {
  const Sample sample;
  const SnapshotReader reader(sample.store, sample.snapshot);
  const std::vector<PictureRows> pictures = reader.pictures("train");
  REQUIRE(pictures.size() == 3);
  for (std::size_t i = 1; i < 3; ++i) CHECK(pictures[i - 1].picture_id < pictures[i].picture_id);
  for (const PictureRows& picture : pictures) {
    const bool is_a = picture.picture_id == hash128("a").prefix(),
               is_b = picture.picture_id == hash128("b").prefix();
    CHECK(picture.clean == RowPlace{0, is_a ? 0 : is_b ? 1 : 3});
    const std::int64_t first = is_a ? 2 : is_b ? 0 : 4;
    CHECK(picture.augmented == std::vector<RowPlace>{{1, first}, {1, first + 1}});
  }
  REQUIRE(reader.pictures("val").size() == 1);
  CHECK(reader.pictures("val")[0].augmented.empty());
  CHECK(reader.shard(2).name(0) == "d");
  CHECK(reader.snapshot().generation == 3);
}

TEST_CASE("the order does not depend on which shard holds what") {
  const Sample one;
  TempDir dir;
  const Store store = Store::create(dir / "store");
  Snapshot other{.generation = 1};
  add_shard(store, other, "train", {{"c", 0}});
  add_shard(store, other, "train", {{"b", 0}, {"a", 0}});
  const auto ids = [](const std::vector<PictureRows>& pictures) {
    std::vector<std::uint64_t> result;
    for (const PictureRows& picture : pictures) result.push_back(picture.picture_id);
    return result;
  };
  CHECK(ids(SnapshotReader(one.store, one.snapshot).pictures("train")) ==
        ids(SnapshotReader(store, other).pictures("train")));
}

TEST_CASE("dead rows are left out, and a picture without its clean row too") {
  Sample sample;
  sample.snapshot.shards[0].dead = {0};     // a's clean row
  sample.snapshot.shards[1].dead = {1, 4};  // b's view 2, c's view 1
  const std::vector<PictureRows> pictures =
      SnapshotReader(sample.store, sample.snapshot).pictures("train");
  REQUIRE(pictures.size() == 2);
  for (const PictureRows& picture : pictures) CHECK(picture.augmented.size() == 1);
}

TEST_CASE("a low limit of open files is raised to what the shards need") {
  const Sample sample;
  rlimit before{}, low{}, after{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  low = {.rlim_cur = 64, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
  const SnapshotReader reader(sample.store, sample.snapshot);
  getrlimit(RLIMIT_NOFILE, &after);
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(after.rlim_cur == std::min<rlim_t>(before.rlim_max, 3 + 256));
}

TEST_CASE("an unknown split lists the known ones") {
  const Sample sample;
  const SnapshotReader reader(sample.store, sample.snapshot);
  CHECK_THROWS_WITH_AS(reader.pictures("test"),
                       "snapshot 3 has no split 'test'; there are: train, val", Error);
}

TEST_CASE("a missing, damaged or other shard is named") {
  const Sample sample;
  const fs::path file = sample.store.shard_path(sample.snapshot.shards[2].digest);
  {
    const Flip flip(file, 100);
    CHECK_THROWS_WITH_AS(SnapshotReader(sample.store, sample.snapshot),
                         doctest::Contains(file.string().c_str()), Error);
  }
  Snapshot other = sample.snapshot;
  other.shards[2].rows = 9;
  CHECK_THROWS_WITH_AS(
      SnapshotReader(sample.store, other),
      doctest::Contains("has 1 rows of side 32 and 8 boxes, snapshot 3 says 9, 32 and 8"), Error);
  fs::remove(file);
  CHECK_THROWS_WITH_AS(SnapshotReader(sample.store, sample.snapshot),
                       doctest::Contains("missing, snapshot 3 needs it; restore it, or run "
                                         "`letterpress-preprocess build`, which makes it anew"),
                       Error);
}
