#include "preprocess/reduce/reduce.h"

#include <algorithm>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/own_file.h"
#include "letterpress/shards/open_shard.h"
#include "preprocess/inputs/inputs.h"
#include "preprocess/plan/logical_digest.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/plan/row_places.h"
#include "preprocess/plan/tile_choice.h"
#include "preprocess/reduce/box_statistics.h"
#include "preprocess/reduce/channel_mean.h"

namespace letterpress {
namespace {

std::vector<ShardRecord> read_records(const Store& store, const Plan& plan, const Hash128& digest) {
  std::vector<ShardRecord> records;
  std::string missing;
  std::vector<std::size_t> absent;
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    const std::filesystem::path path = record_path(store, digest, static_cast<std::int32_t>(i));
    if (std::filesystem::exists(path)) {
      records.push_back(shard_record_from_json(read_own_file(path, kMostJsonBytes), path.string()));
      if (records.back().shard != static_cast<std::int32_t>(i)) {
        throw Error({.where = path.string(),
                     .what = "is the record of shard " + std::to_string(records.back().shard),
                     .fix = "remove it and make the shard again"});
      }
      if (std::filesystem::exists(store.shard_path(records.back().digest))) continue;
    }
    missing += (missing.empty() ? "" : ", ") + std::to_string(i);
    absent.push_back(i);
  }
  if (missing.empty()) return records;
  const std::string parts = parts_missing(store, plan, digest, absent);
  throw Error({.where = store.plan_folder(digest).string(),
               .what = "of " + std::to_string(plan.shards.size()) +
                       " shards these are not finished: " + missing,
               .fix = parts.empty() ? "run `letterpress-preprocess map` on the plan to make them"
                                    : "run `map` again for --part " + parts},
              Exit::busy);
}

void reject_entry(LedgerEntry& entry, bool background, const ShardRecord::Dead& dead,
                  Reduced& result) {
  if (entry.state == InputState::rejected) return;  // another of its rows said so already
  Accounting& sums = result.snapshot.accounting;
  --sums.pictures_stored;
  ++sums.pictures_rejected;
  sums.pictures_background -= background ? 1 : 0;
  sums.boxes_stored -= entry.boxes;
  sums.boxes_rejected += entry.boxes;
  entry.state = InputState::rejected;
  result.rejects.push_back({entry.where + ": " + entry.path, dead.what, dead.fix});
  entry.reason = ledger_reason(result.rejects.back());
  entry.boxes = entry.views = 0;
}

// A picture that failed in one row is out in all of them, those of kept shards included.
void mark_rows_dead(LedgerEntry& entry, std::vector<SnapshotShard>& shards) {
  for (const RowRun& run : entry.rows) {
    std::vector<std::int64_t>& dead = shards[static_cast<std::size_t>(run.shard)].dead;
    for (std::int64_t row = run.row; row < run.row + run.n; ++row) {
      const auto after = std::lower_bound(dead.begin(), dead.end(), row);
      if (after == dead.end() || *after != row) dead.insert(after, row);
    }
  }
  entry.rows.clear();
}

void take_record(const Plan& plan, const PlannedShard& planned, const ShardRecord& record,
                 Reduced& result) {
  result.snapshot.shards[static_cast<std::size_t>(planned.index)].digest = record.digest;
  result.rows_lost += static_cast<std::int64_t>(record.dead.size());
  for (const ShardRecord::Dead& dead : record.dead) {
    const auto index =
        static_cast<std::size_t>(planned.row_picture.at(static_cast<std::size_t>(dead.row)));
    const PlannedPicture& picture = plan.pictures[index];
    LedgerEntry& entry = result.ledger[static_cast<std::size_t>(picture.entry)];
    std::optional<TileAccounting>& tiles = result.snapshot.accounting.tiles;
    if (tiles && entry.state != InputState::rejected)
      reject_tiles(result.snapshot.identity, entry, picture, *tiles);
    reject_entry(entry, entry.boxes == 0 && picture.label < 0, dead, result);
    mark_rows_dead(entry, result.snapshot.shards);
  }
}

// They are a quarter of what a build has in memory, and statistics need as much.
void drop_boxes(Plan& plan) {
  for (PlannedPicture& picture : plan.pictures) std::vector<LabelBox>().swap(picture.boxes);
}

void fill_statistics(const Store& store, const std::vector<ShardRecord>& records,
                     const std::optional<Previous>& previous, Snapshot& snapshot) {
  BoxStatistics boxes(snapshot);
  ChannelCounter channels(records, previous);
  for (std::size_t i = 0; i < snapshot.shards.size(); ++i) {
    const ShardReader shard = open_shard(store, snapshot, i);
    boxes.add(shard, snapshot.shards[i]);
    channels.add(shard, snapshot.shards[i]);
  }
  snapshot.statistics = boxes.take();
  snapshot.statistics.channel_mean = channels.mean();
}

}  // namespace

Reduced reduce(const Store& store, Plan& plan, const Hash128& digest,
               const std::optional<Previous>& previous) {
  const std::vector<ShardRecord> records = read_records(store, plan, digest);
  Reduced result{plan.snapshot, std::move(plan.ledger), {}, 0};
  for (std::size_t i = 0; i < records.size(); ++i)
    take_record(plan, plan.shards[i], records[i], result);
  drop_boxes(plan);
  (void)drop_dead_shards(result.snapshot, result.ledger);
  check_identities(result.snapshot.accounting);
  result.snapshot.logical_digest = logical_digest(result.snapshot.identity, result.ledger);
  fill_statistics(store, records, previous, result.snapshot);
  return result;
}

}  // namespace letterpress
