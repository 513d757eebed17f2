#include "preprocess/plan/row_places.h"

#include <algorithm>
#include <compare>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace letterpress {
namespace {

constexpr int kBoxMultiple = 8;
constexpr std::int64_t kMostRows = 1024;
static_assert(kMostRows <= kMostDeflatedRows);

// One bit per row of the last snapshot's shards: somebody still reads it.
class LiveRows {
 public:
  explicit LiveRows(const std::vector<SnapshotShard>& shards) {
    for (const SnapshotShard& shard : shards)
      live_.emplace_back(static_cast<std::size_t>(shard.rows), false);
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

// Adjacent views.
struct ViewRange {
  int first = 1, n = 0;
  auto operator<=>(const ViewRange&) const = default;
};

std::vector<ViewRange> missing_views(const LedgerEntry& entry) {
  std::vector<ViewRange> missing;
  int next = 1;
  for (const RowRun& run : entry.rows) {
    if (run.view > next) missing.push_back({next, run.view - next});
    next = std::max(next, run.view + run.n);
  }
  if (next <= entry.views) missing.push_back({next, entry.views - next + 1});
  return missing;
}

// Pictures that need the same kinds of rows in the same split.
struct Batch {
  bool clean = false;
  ViewRange views{};
  std::size_t group_size = 1;            ///< pictures of a full group, a multiple of views.n
  std::vector<std::int32_t> pictures{};  ///< indices into Plan::pictures
};

class Placer {
 public:
  explicit Placer(Plan& plan) : plan_(plan) {}

  void group(const std::string& split, const Batch& batch, std::size_t first, std::size_t n) {
    const std::span<const std::int32_t> pictures(batch.pictures.data() + first, n);
    if (batch.clean) add(split, pictures, {.first = 0, .n = 1});
    // An n-th of a full group's pictures fills one shard with n views of each.
    const auto views = static_cast<std::size_t>(batch.views.n);
    const std::size_t step = views > 0 ? batch.group_size / views : n;
    for (std::size_t begin = 0; views > 0 && begin < n; begin += step) {
      add(split, pictures.subspan(begin, std::min(step, n - begin)), batch.views);
    }
    ++groups_;
  }

 private:
  // One shard with these views of each picture.
  void add(const std::string& split, std::span<const std::int32_t> pictures, ViewRange views) {
    PlannedShard shard{.index = static_cast<std::int32_t>(plan_.snapshot.shards.size()),
                       .group = groups_,
                       .row_picture = {},
                       .row_view = {},
                       .copies = {}};
    std::size_t most = 0;
    for (const std::int32_t picture : pictures) {
      const PlannedPicture& planned = plan_.pictures[static_cast<std::size_t>(picture)];
      plan_.ledger[static_cast<std::size_t>(planned.entry)].rows.push_back(
          {shard.index, shard.rows(), views.first, views.n});
      most = std::max(most, planned.boxes.size());
      for (int view = views.first; view < views.first + views.n; ++view) {
        shard.row_picture.push_back(picture);
        shard.row_view.push_back(view);
      }
    }
    SnapshotShard described;
    described.split = split;
    described.augmented = views.first > 0;
    described.rows = shard.rows();
    described.max_boxes = padded_boxes(static_cast<std::int64_t>(most));
    plan_.snapshot.shards.push_back(std::move(described));
    plan_.shards.push_back(std::move(shard));
  }

  Plan& plan_;
  std::int32_t groups_ = 0;
};

}  // namespace

std::int64_t rows_per_shard(std::int64_t shard_bytes, int side) {
  return std::clamp<std::int64_t>(shard_bytes / (std::int64_t{3} * side * side), 1, kMostRows);
}

void keep_rows(const Previous& previous, Reuse reuse, Plan& plan) {
  plan.snapshot.shards = previous.snapshot.shards;
  const std::vector<bool> damaged = previous.damaged_shards();
  LiveRows live(previous.snapshot.shards);
  std::unordered_map<Hash128, const LedgerEntry*> before;
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::stored) before.emplace(entry.picture_hash, &entry);
  }
  for (LedgerEntry& entry : plan.ledger) {
    if (entry.state != InputState::stored) continue;
    const auto known = before.find(entry.picture_hash);
    if (known == before.end()) continue;
    const LedgerEntry& old = *known->second;
    if (old.labels_hash != entry.labels_hash || old.split != entry.split) continue;
    for (RowRun run : old.rows) {
      run.n = std::min(run.n, entry.views + 1 - run.view);
      if (run.n < 1 || !(run.view == 0 ? reuse.clean : reuse.augmented) ||
          damaged.at(static_cast<std::size_t>(run.shard)))
        continue;
      entry.rows.push_back(run);
      live.mark(run.shard, run.row, run.n);
    }
  }
  for (std::size_t i = 0; i < plan.snapshot.shards.size(); ++i) {
    plan.snapshot.shards[i].dead = live.dead(i);
    plan.snapshot.shards[i].channel_sum.clear();  // of the rows that were alive before
  }
  (void)drop_dead_shards(plan.snapshot, plan.ledger);
}

void place_rows(std::deque<PlannedPicture> stored, std::int64_t rows, Plan& plan) {
  plan.pictures.reserve(stored.size());
  std::map<std::tuple<std::string, bool, ViewRange>, Batch>
      batches;  // split, lacks clean, missing views
  for (; !stored.empty(); stored.pop_front()) {
    const LedgerEntry& entry = plan.ledger[static_cast<std::size_t>(stored.front().entry)];
    bool clean = entry.rows.empty() || entry.rows.front().view > 0;
    std::vector<ViewRange> missing = missing_views(entry);
    if (missing.empty() && clean) missing.push_back({});
    for (const ViewRange& views : missing) {
      Batch& batch = batches[{entry.split, clean, views}];
      batch.clean = std::exchange(clean, false);
      batch.views = views;
      batch.pictures.push_back(static_cast<std::int32_t>(plan.pictures.size()));
      const bool last = &views == &missing.back();
      plan.pictures.push_back(last ? std::move(stored.front()) : stored.front());
    }
  }
  Placer placer(plan);
  for (auto& [key, batch] : batches) {
    const std::int64_t views = std::max(batch.views.n, 1);
    batch.group_size = static_cast<std::size_t>(std::max(views, rows / views * views));
    for (std::size_t first = 0; first < batch.pictures.size(); first += batch.group_size) {
      placer.group(std::get<0>(key), batch, first,
                   std::min(batch.group_size, batch.pictures.size() - first));
    }
  }
  for (LedgerEntry& entry : plan.ledger) std::ranges::sort(entry.rows, {}, &RowRun::view);
}

int padded_boxes(std::int64_t boxes) {
  return static_cast<int>((std::max<std::int64_t>(boxes, 1) + kBoxMultiple - 1) / kBoxMultiple *
                          kBoxMultiple);
}

std::vector<std::int32_t> drop_dead_shards(Snapshot& snapshot, std::vector<LedgerEntry>& ledger) {
  std::vector<std::int32_t> renumbered;
  std::vector<SnapshotShard> kept;
  for (SnapshotShard& shard : snapshot.shards) {
    const bool alive = static_cast<std::int64_t>(shard.dead.size()) < shard.rows;
    renumbered.push_back(alive ? static_cast<std::int32_t>(kept.size()) : -1);
    if (alive) kept.push_back(std::move(shard));
  }
  snapshot.shards = std::move(kept);
  for (LedgerEntry& entry : ledger) {
    for (RowRun& run : entry.rows) run.shard = renumbered.at(static_cast<std::size_t>(run.shard));
  }
  return renumbered;
}

}  // namespace letterpress
