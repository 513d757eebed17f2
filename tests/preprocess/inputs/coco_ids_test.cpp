#include <doctest/doctest.h>

#include "letterpress/shards/anchors.h"
#include "tests/preprocess/coco_set.h"

namespace letterpress {

TEST_CASE("a COCO set keeps its category, image ids, crowd flags and stated areas in the store") {
  DrawnSet set;
  const BuildOptions options = coco_set(set, R"("iscrowd":0)");
  build_quietly(options);
  const Store store = Store::open(options.store);
  const Snapshot snapshot = *store.latest();
  CHECK(snapshot.category_ids ==
        std::map<std::string, std::int64_t>{{"cat", 17}, {"toothbrush", 90}});
  CHECK(store.ledger(1).at(0).image_id == 4711);
  const SnapshotReader reader(store, snapshot);
  const RowPlace clean = reader.pictures("train").at(0).clean;
  const ShardReader& shard = reader.shard(clean.shard);
  REQUIRE(shard.box_count(clean.row) == 2);
  CHECK(shard.box_flags(clean.row)[0] == kCrowd);
  // A crowd is not a shape to make an anchor of; the other box is 20 x 20 in 80 x 60, the frame
  // is 64.
  const auto sizes = box_sizes(reader, reader.pictures("train"), 100, RowKind::clean);
  REQUIRE(sizes.size() == 1);
  CHECK(sizes[0][0] == doctest::Approx(16));
  CHECK(sizes[0][1] == doctest::Approx(16));
  CHECK(snapshot.statistics.anchors ==
        kmeans_anchors(box_sizes(reader, reader.pictures("train")), 9));
  CHECK(shard.box_area(clean.row)[0] == 123.5F);
  CHECK(snapshot.classes.at(static_cast<std::size_t>(shard.boxes(clean.row)[4])) == "toothbrush");
}

}  // namespace letterpress
