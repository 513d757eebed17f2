#include "preprocess/plan/row_places.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "preprocess/plan/logical_digest.h"

namespace letterpress {
namespace {

struct Wish {
  int n = 0;  ///< pictures
  std::string split = "train";
  int views = 0;
  int boxes = 1;
};

// A ledger as make_plan has it before placing.
void add(const Wish& wish, Plan& plan) {
  for (int i = 0; i < wish.n; ++i) {
    LedgerEntry entry;
    entry.picture_hash = hash128(wish.split + std::to_string(plan.ledger.size()));
    entry.split = wish.split;
    entry.boxes = wish.boxes;
    entry.views = wish.views;
    entry.width = entry.height = 10;
    plan.ledger.push_back(entry);
  }
}

// The pictures of a ledger that are stored.
std::deque<PlannedPicture> stored(const Plan& plan) {
  std::deque<PlannedPicture> pictures;
  for (const LedgerEntry& entry : plan.ledger) {
    if (entry.state != InputState::stored) continue;
    pictures.push_back({.entry = static_cast<std::int32_t>(&entry - plan.ledger.data())});
    pictures.back().boxes.resize(static_cast<std::size_t>(entry.boxes));
  }
  return pictures;
}

std::vector<std::int64_t> planned_rows(const Plan& plan) {
  std::vector<std::int64_t> rows;
  for (const SnapshotShard& shard : plan.snapshot.shards) rows.push_back(shard.rows);
  return rows;
}

Previous published(Plan plan) {
  for (std::size_t i = 0; i < plan.snapshot.shards.size(); ++i)
    plan.snapshot.shards[i].digest = hash128(std::to_string(i));
  return {plan.snapshot, plan.ledger};
}

}  // namespace

TEST_CASE("a group is one clean shard and K augmented ones, the views of a picture adjacent") {
  Plan plan;
  add({.n = 10, .views = 2}, plan);
  place_rows(stored(plan), 7, plan);  // 7 is rounded down to 6: two groups, of 6 and 4 pictures
  CHECK(planned_rows(plan) == std::vector<std::int64_t>{6, 6, 6, 4, 6, 2});
  std::vector<int> groups, indices;
  for (const PlannedShard& shard : plan.shards) {
    groups.push_back(shard.group);
    indices.push_back(shard.index);
  }
  CHECK(groups == std::vector<int>{0, 0, 0, 1, 1, 1});
  CHECK(indices == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(plan.shards[2].row_picture == std::vector<std::int32_t>{3, 3, 4, 4, 5, 5});
  CHECK(plan.shards[2].row_view == std::vector<std::int32_t>{1, 2, 1, 2, 1, 2});
  CHECK(plan.shards[0].row_view == std::vector<std::int32_t>(6, 0));
}

TEST_CASE("the ledger points at exactly the rows that the shards give to the picture") {
  Plan plan;
  add({.n = 23, .views = 3}, plan);
  add({.n = 9, .split = "val"}, plan);
  place_rows(stored(plan), 8, plan);
  for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
    CAPTURE(i);
    const LedgerEntry& entry = plan.ledger[i];
    for (int view = 0; view <= entry.views; ++view) {
      const RowRun& run = entry.rows.at(view == 0 ? 0 : 1);
      const std::int32_t index = run.shard;
      const auto row = static_cast<std::size_t>(run.row + view - run.view);
      const PlannedShard& shard = plan.shards.at(static_cast<std::size_t>(index));
      CHECK(shard.index == index);
      CHECK(plan.pictures.at(static_cast<std::size_t>(shard.row_picture.at(row))).entry ==
            static_cast<std::int32_t>(i));
      CHECK(shard.row_view.at(row) == view);
      CHECK(plan.snapshot.shards.at(static_cast<std::size_t>(index)).split == entry.split);
      CHECK(plan.snapshot.shards.at(static_cast<std::size_t>(index)).augmented == (view > 0));
    }
  }
}

TEST_CASE("a shard's M is its largest number of boxes, rounded up to 8, at least 8") {
  for (const auto& [boxes, padded] :
       {std::pair{0, 8}, std::pair{8, 8}, std::pair{9, 16}, std::pair{25, 32}}) {
    Plan plan;
    add({.n = 1, .boxes = 0}, plan);
    add({.n = 1, .boxes = boxes}, plan);
    place_rows(stored(plan), 10, plan);
    CHECK(plan.snapshot.shards.at(0).max_boxes == padded);
  }
}

TEST_CASE(
    "rows per shard: as many as fit, at least one, at most 1024, and a picture's views always stay "
    "together") {
  CHECK(rows_per_shard(std::int64_t{256} << 20, 416) == 517);
  CHECK(rows_per_shard(std::int64_t{256} << 20, 640) == 218);
  CHECK(rows_per_shard(10, 640) == 1);
  CHECK(rows_per_shard(std::int64_t{256} << 20, 320) == 873);
  CHECK(rows_per_shard(std::int64_t{256} << 20, 32) == 1024);
  Plan plan;
  add({.n = 2, .views = 4}, plan);
  place_rows(stored(plan), 1, plan);
  CHECK(planned_rows(plan) == std::vector<std::int64_t>{2, 4, 4});
}

TEST_CASE("what is as before keeps its rows; what is edited, moved or gone leaves dead ones") {
  Plan plan;
  add({.n = 6, .views = 2}, plan);
  place_rows(stored(plan), 4, plan);  // groups of 4 and 2 pictures: shards 0-2 and 3-4
  CHECK(planned_rows(plan) == std::vector<std::int64_t>{4, 4, 4, 2, 4});
  const Previous previous = published(plan);

  Plan next;
  next.ledger = {plan.ledger[0], plan.ledger[1], plan.ledger[2],
                 plan.ledger[4]};  // 3 and 5 are gone
  next.ledger[1].labels_hash = hash128("edited");
  next.ledger[2].split = "val";
  for (LedgerEntry& entry : next.ledger) entry.rows.clear();
  keep_rows(previous, next);
  CHECK(next.snapshot.shards.at(0).dead == std::vector<std::int64_t>{1, 2, 3});
  CHECK(next.snapshot.shards.at(1).dead == std::vector<std::int64_t>{2, 3});
  // Shard 2 held the views of pictures 2 and 3 only: it is left out, and those behind it move up.
  CHECK(next.snapshot.shards.size() == 4);
  CHECK(next.ledger[0].rows == std::vector<RowRun>{{0, 0, 0, 1}, {1, 0, 1, 2}});
  CHECK(next.ledger[1].rows.empty());
  CHECK(next.ledger[2].rows.empty());
  CHECK(next.ledger[3].rows == std::vector<RowRun>{{2, 0, 0, 1}, {3, 0, 1, 2}});
}

TEST_CASE(
    "fewer views keep the first ones; more views add rows in shards of their own and keep those "
    "that are there") {
  Plan plan;
  add({.n = 2, .views = 4}, plan);
  place_rows(stored(plan), 8, plan);
  const Previous previous = published(plan);
  for (const int views : {2, 6}) {
    CAPTURE(views);
    Plan next;
    next.ledger = plan.ledger;
    for (LedgerEntry& entry : next.ledger) {
      entry.views = views;
      entry.rows.clear();
    }
    keep_rows(previous, next);
    place_rows(stored(next), 8, next);
    if (views == 2) {
      CHECK(next.shards.empty());
      CHECK(next.ledger[1].rows == std::vector<RowRun>{{0, 1, 0, 1}, {1, 4, 1, 2}});
      CHECK(next.snapshot.shards.at(1).dead == std::vector<std::int64_t>{2, 3, 6, 7});
    } else {
      REQUIRE(next.shards.size() == 1);
      CHECK(next.shards[0].row_view == std::vector<std::int32_t>{5, 6, 5, 6});
      CHECK(next.ledger[1].rows == std::vector<RowRun>{{0, 1, 0, 1}, {1, 4, 1, 4}, {2, 2, 5, 2}});
      CHECK(next.snapshot.shards.at(1).dead.empty());
    }
  }
}

TEST_CASE("a hole in a picture's views and a lost clean row are filled, nothing else is made") {
  Plan plan;
  add({.n = 1, .views = 6}, plan);
  plan.snapshot.shards.resize(2);
  plan.ledger[0].rows = {{0, 0, 1, 2}, {1, 0, 5, 1}};  // views 1, 2 and 5
  place_rows(stored(plan), 8, plan);
  std::vector<std::vector<std::int32_t>> made;
  for (const PlannedShard& shard : plan.shards) made.push_back(shard.row_view);
  std::ranges::sort(made);
  CHECK(made == std::vector<std::vector<std::int32_t>>{{0}, {3, 4}, {6}});
  std::vector<std::int32_t> views;
  for (const RowRun& run : plan.ledger[0].rows) views.push_back(run.view);
  CHECK(views == std::vector<std::int32_t>{0, 1, 3, 5, 6});
}

TEST_CASE("views that are drawn anew get new rows, the views around them keep theirs") {
  Plan plan;
  add({.n = 2, .views = 4}, plan);
  place_rows(stored(plan), 8, plan);
  const Previous previous = published(plan);
  Plan next;
  next.snapshot.identity.redrawn = {0, 1};
  next.ledger = plan.ledger;
  for (LedgerEntry& entry : next.ledger) entry.rows.clear();
  keep_rows(previous, next);
  CHECK(next.snapshot.shards.at(1).dead == std::vector<std::int64_t>{1, 5});
  place_rows(stored(next), 8, next);
  REQUIRE(next.shards.size() == 1);
  CHECK(next.shards[0].row_view == std::vector<std::int32_t>{2, 2});
  CHECK(next.ledger[1].rows ==
        std::vector<RowRun>{{0, 1, 0, 1}, {1, 4, 1, 1}, {2, 1, 2, 1}, {1, 6, 3, 2}});
}

TEST_CASE("the logical digest sees rows, not their order, names or places") {
  Plan plan;
  add({.n = 4, .views = 2}, plan);
  const BuildIdentity identity;
  const Hash128 digest = logical_digest(identity, plan.ledger);
  std::vector<LedgerEntry> other(plan.ledger.rbegin(), plan.ledger.rend());
  for (LedgerEntry& entry : other) {
    entry.name = "renamed";
    entry.rows = {{.shard = 7}};
  }
  other.push_back(other[0]);
  other.back().state = InputState::duplicate;
  CHECK(logical_digest(identity, other) == digest);
  for (const auto change :
       {+[](LedgerEntry& e) { e.views = 1; }, +[](LedgerEntry& e) { e.split = "val"; },
        +[](LedgerEntry& e) { e.labels_hash = hash128("y"); },
        +[](LedgerEntry& e) { e.picture_hash = hash128("y"); },
        +[](LedgerEntry& e) { e.state = InputState::rejected; }}) {
    std::vector<LedgerEntry> changed = plan.ledger;
    change(changed[2]);
    CHECK(logical_digest(identity, changed) != digest);
  }
  CHECK(logical_digest({.side = 640}, plan.ledger) != digest);
  CHECK(logical_digest({.seed = 2}, plan.ledger) != digest);
  CHECK(logical_digest({.recipe_json = "{}"}, plan.ledger) != digest);
  CHECK(logical_digest({.draw = 1}, plan.ledger) != digest);
  CHECK(logical_digest({.redrawn = {0, 1}}, plan.ledger) != digest);
  CHECK(logical_digest({.redrawn = {0, 0, 1}}, plan.ledger) == digest);  // of a third view
}

}  // namespace letterpress
