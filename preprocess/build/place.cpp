#include "preprocess/build/place.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "preprocess/build/reason.h"

namespace letterpress {
namespace {

constexpr int kBoxMultiple = 8;

bool decode_failed(const LedgerEntry& entry) { return entry.state == InputState::rejected && entry.width > 0; }

int views_wanted(const LedgerEntry& entry, int views) { return entry.split == "train" ? views : 0; }

// One bit per row of the last snapshot's shards: somebody still reads it.
class LiveRows {
 public:
  explicit LiveRows(const std::vector<SnapshotShard>& shards) {
    for (const SnapshotShard& shard : shards) live_.emplace_back(static_cast<std::size_t>(shard.rows), false);
  }
  void mark(std::int32_t shard, std::int64_t row, std::int64_t n) {
    auto& rows = live_.at(static_cast<std::size_t>(shard));
    for (std::int64_t i = row; i < row + n; ++i) rows.at(static_cast<std::size_t>(i)) = true;
  }
  std::vector<std::int64_t> dead(std::size_t shard) const {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < live_[shard].size(); ++i) {
      if (!live_[shard][i]) rows.push_back(static_cast<std::int64_t>(i));
    }
    return rows;
  }

 private:
  std::vector<std::vector<bool>> live_;
};

// Pictures that need the same kinds of rows in the same split.
struct Batch {
  bool clean = false;
  int views = 0;
  std::size_t group_size = 1;          ///< pictures of a full group, a multiple of views
  std::vector<std::int32_t> pictures;  ///< indices into Plan::pictures
};

class Placer {
 public:
  explicit Placer(Plan& plan) : plan_(plan) {}

  void group(const std::string& split, const Batch& batch, std::size_t first, std::size_t n) {
    const std::span<const std::int32_t> pictures(batch.pictures.data() + first, n);
    if (batch.clean) {
      for (std::size_t i = 0; i < n; ++i) {
        LedgerEntry& entry = entry_of(pictures[i]);
        entry.clean_shard = static_cast<std::int32_t>(plan_.snapshot.shards.size());
        entry.clean_row = static_cast<std::int64_t>(i);
      }
      add(split, pictures, 0);
    }
    // A K-th of a full group's pictures fills one shard with K views of each.
    const std::size_t step = batch.views > 0 ? batch.group_size / static_cast<std::size_t>(batch.views) : n;
    for (std::size_t begin = 0; batch.views > 0 && begin < n; begin += step) {
      const std::size_t count = std::min(step, n - begin);
      for (std::size_t i = 0; i < count; ++i) {
        LedgerEntry& entry = entry_of(pictures[begin + i]);
        entry.augmented_shard = static_cast<std::int32_t>(plan_.snapshot.shards.size());
        entry.augmented_row = static_cast<std::int64_t>(i) * batch.views;
      }
      add(split, pictures.subspan(begin, count), batch.views);
    }
    ++groups_;
  }

 private:
  LedgerEntry& entry_of(std::int32_t picture) {
    return plan_.ledger[static_cast<std::size_t>(plan_.pictures[static_cast<std::size_t>(picture)].entry)];
  }

  // views 0: one clean row per picture.
  void add(const std::string& split, std::span<const std::int32_t> pictures, int views) {
    PlannedShard shard{
        .index = static_cast<std::int32_t>(plan_.snapshot.shards.size()), .group = groups_, .row_picture = {}, .row_view = {}};
    std::size_t most = 1;
    for (const std::int32_t picture : pictures) {
      most = std::max(most, plan_.pictures[static_cast<std::size_t>(picture)].boxes.size());
      for (int view = views > 0 ? 1 : 0; view <= views; ++view) {
        shard.row_picture.push_back(picture);
        shard.row_view.push_back(view);
      }
    }
    SnapshotShard described;
    described.split = split;
    described.augmented = views > 0;
    described.rows = static_cast<std::int64_t>(shard.row_picture.size());
    described.max_boxes = static_cast<int>((most + kBoxMultiple - 1) / kBoxMultiple * kBoxMultiple);
    plan_.snapshot.shards.push_back(std::move(described));
    plan_.shards.push_back(std::move(shard));
  }

  Plan& plan_;
  std::int32_t groups_ = 0;
};

}  // namespace

std::int64_t rows_per_shard(std::int64_t shard_bytes, int side) {
  return std::max<std::int64_t>(1, shard_bytes / (std::int64_t{3} * side * side));
}

void carry_rejects(Inputs& inputs, const Previous& previous) {
  std::unordered_map<Hash128, const LedgerEntry*> failed;
  for (const LedgerEntry& entry : previous.ledger) {
    if (decode_failed(entry)) failed.emplace(entry.picture_hash, &entry);
  }
  for (Candidate& candidate : inputs.candidates) {
    if (!candidate.stored()) continue;
    const auto place = failed.find(candidate.picture_hash);
    if (place != failed.end()) candidate.reject = reject_of_reason(candidate.item.where, place->second->reason);
  }
}

void keep_rows(const Previous& previous, Reuse reuse, Plan& plan) {
  plan.snapshot.shards = previous.snapshot.shards;
  LiveRows live(previous.snapshot.shards);
  std::unordered_map<Hash128, const LedgerEntry*> before;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::stored) before.emplace(entry.picture_hash, &entry);
  }
  for (LedgerEntry& entry : plan.ledger) {
    if (entry.state != InputState::stored) continue;
    const auto place = before.find(entry.picture_hash);
    if (place == before.end()) continue;
    const LedgerEntry& old = *place->second;
    if (old.labels_hash != entry.labels_hash || old.split != entry.split) continue;
    if (reuse.clean && old.clean_shard >= 0) {
      entry.clean_shard = old.clean_shard;
      entry.clean_row = old.clean_row;
      live.mark(old.clean_shard, old.clean_row, 1);
    }
    if (reuse.augmented && old.augmented_shard >= 0 && entry.views > 0 && old.views >= entry.views) {
      entry.augmented_shard = old.augmented_shard;
      entry.augmented_row = old.augmented_row;
      live.mark(old.augmented_shard, old.augmented_row, entry.views);
    }
  }
  for (std::size_t i = 0; i < plan.snapshot.shards.size(); ++i) plan.snapshot.shards[i].dead = live.dead(i);
  drop_dead_shards(plan.snapshot, plan.ledger);
}

void place_rows(const Inputs& inputs, const RowsWanted& wanted, Plan& plan) {
  std::map<std::tuple<std::string, bool, int>, Batch> batches;  // split, lacks clean, views
  for (std::size_t i = 0; i < plan.ledger.size(); ++i) {
    const LedgerEntry& entry = plan.ledger[i];
    if (entry.state != InputState::stored) continue;
    const bool clean = entry.clean_shard < 0;
    const int views = entry.augmented_shard < 0 ? views_wanted(entry, wanted.views) : 0;
    if (!clean && views == 0) continue;
    const Candidate& candidate = inputs.candidates[i];
    Batch& batch = batches[{entry.split, clean, views}];
    batch.clean = clean;
    batch.views = views;
    batch.pictures.push_back(static_cast<std::int32_t>(plan.pictures.size()));
    plan.pictures.push_back({.entry = static_cast<std::int32_t>(i),
                             .offset = candidate.item.offset,
                             .length = candidate.item.length,
                             .orientation = candidate.orientation,
                             .label = candidate.item.label,
                             .boxes = candidate.boxes});
  }
  Placer placer(plan);
  for (auto& [key, batch] : batches) {
    const std::int64_t views = std::max(batch.views, 1);
    batch.group_size = static_cast<std::size_t>(std::max(views, wanted.rows / views * views));
    for (std::size_t first = 0; first < batch.pictures.size(); first += batch.group_size) {
      placer.group(std::get<0>(key), batch, first, std::min(batch.group_size, batch.pictures.size() - first));
    }
  }
}

void drop_dead_shards(Snapshot& snapshot, std::vector<LedgerEntry>& ledger) {
  std::vector<std::int32_t> renumbered;
  std::vector<SnapshotShard> kept;
  for (SnapshotShard& shard : snapshot.shards) {
    const bool alive = static_cast<std::int64_t>(shard.dead.size()) < shard.rows;
    renumbered.push_back(alive ? static_cast<std::int32_t>(kept.size()) : -1);
    if (alive) kept.push_back(std::move(shard));
  }
  snapshot.shards = std::move(kept);
  for (LedgerEntry& entry : ledger) {
    if (entry.clean_shard >= 0) entry.clean_shard = renumbered.at(static_cast<std::size_t>(entry.clean_shard));
    if (entry.augmented_shard >= 0) entry.augmented_shard = renumbered.at(static_cast<std::size_t>(entry.augmented_shard));
  }
}

}  // namespace letterpress
