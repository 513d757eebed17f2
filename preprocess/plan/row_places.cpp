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

// runs: those that the picture or tile has, ascending by view.
std::vector<ViewRange> missing_views(const LedgerEntry& entry, std::span<const RowRun> runs) {
  std::vector<ViewRange> missing;
  int next = 1;
  for (const RowRun& run : runs) {
    if (run.view > next) missing.push_back({next, run.view - next});
    next = std::max(next, run.view + run.n);
  }
  if (next <= entry.views) missing.push_back({next, entry.views - next + 1});
  return missing;
}

// A picture that needs rows, or one of its tiles.
struct Member {
  std::int32_t picture = 0;  ///< index into Plan::pictures
  std::int32_t tile = 0;
};

// Pictures that need the same kinds of rows in the same split.
struct Batch {
  bool clean = false;
  ViewRange views{};
  std::size_t group_size = 1;  ///< members of a full group, a multiple of views.n
  std::vector<Member> members{};

  // How many from `first` on are a group: as many as fit, whole pictures only, one at least.
  std::size_t group_from(std::size_t first) const {
    std::size_t end = std::min(first + group_size, members.size());
    const auto splits_picture = [&] {
      return end < members.size() && members[end].picture == members[end - 1].picture;
    };
    while (splits_picture() && members[end].picture != members[first].picture) --end;
    while (splits_picture()) ++end;
    return end - first;
  }
};

// The split, whether the clean row is missing, and which views are.
using BatchKey = std::tuple<std::string, bool, ViewRange>;

class Placer {
 public:
  Placer(Plan& plan, const TiledRows* tiled) : plan_(plan), tiled_(tiled) {}

  void group(const std::string& split, const Batch& batch, std::size_t first, std::size_t n) {
    const std::span<const Member> members(batch.members.data() + first, n);
    if (batch.clean) add_shards(split, members, batch.group_size, {.first = 0, .n = 1});
    // An n-th of a full group's pictures fills one shard with n views of each.
    const auto views = static_cast<std::size_t>(batch.views.n);
    if (views > 0) add_shards(split, members, batch.group_size / views, batch.views);
    ++groups_;
  }

 private:
  // Shards of as many members as fit. Of tiles they are equally full, so that none is so small that
  // the next build would repack it.
  void add_shards(const std::string& split, std::span<const Member> members, std::size_t most,
                  ViewRange views) {
    const std::size_t shards = (members.size() + most - 1) / most;
    const std::size_t step = tiled_ ? (members.size() + shards - 1) / shards : most;
    for (std::size_t begin = 0; begin < members.size(); begin += step)
      add(split, members.subspan(begin, std::min(step, members.size() - begin)), views);
  }

  std::int64_t count_boxes(const Member& member, std::int32_t view) const {
    const PlannedPicture& picture = plan_.pictures[static_cast<std::size_t>(member.picture)];
    if (!tiled_) return static_cast<std::int64_t>(picture.boxes.size());
    return tiled_->boxes(plan_.ledger[static_cast<std::size_t>(picture.entry)], picture,
                         member.tile, view);
  }

  // One shard with these views of each member.
  void add(const std::string& split, std::span<const Member> members, ViewRange views) {
    PlannedShard shard{.index = static_cast<std::int32_t>(plan_.snapshot.shards.size()),
                       .group = groups_,
                       .row_picture = {},
                       .row_view = {},
                       .row_tile = {},
                       .copies = {}};
    std::int64_t most = 0;
    for (const Member& member : members) {
      const PlannedPicture& planned = plan_.pictures[static_cast<std::size_t>(member.picture)];
      plan_.ledger[static_cast<std::size_t>(planned.entry)].rows.push_back(
          {shard.index, shard.rows(), views.first, views.n, member.tile});
      for (int view = views.first; view < views.first + views.n; ++view) {
        shard.row_picture.push_back(member.picture);
        shard.row_view.push_back(view);
        if (tiled_) shard.row_tile.push_back(member.tile);
        most = std::max(most, count_boxes(member, view));
      }
    }
    SnapshotShard described;
    described.split = split;
    described.augmented = views.first > 0;
    described.rows = shard.rows();
    described.max_boxes = padded_boxes(most);
    plan_.snapshot.shards.push_back(std::move(described));
    plan_.shards.push_back(std::move(shard));
  }

  Plan& plan_;
  const TiledRows* tiled_;
  std::int32_t groups_ = 0;
};

// The rows that an entry lacks: what kind, of which tile.
std::vector<std::pair<BatchKey, std::int32_t>> missing_rows(const LedgerEntry& entry,
                                                            const TiledRows* tiled,
                                                            std::int32_t index) {
  static const std::vector<std::int32_t> kWhole{0};
  const auto& tiles = tiled ? tiled->tiles.at(static_cast<std::size_t>(index)) : kWhole;
  std::vector<std::pair<BatchKey, std::int32_t>> missing;
  for (const std::int32_t tile : tiles) {
    const auto runs = std::ranges::equal_range(entry.rows, tile, {}, &RowRun::tile);
    bool clean = runs.empty() || runs.front().view > 0;
    std::vector<ViewRange> views = missing_views(entry, {runs.begin(), runs.end()});
    if (views.empty() && clean) views.push_back({});
    for (const ViewRange& range : views)
      missing.push_back({{entry.split, std::exchange(clean, false), range}, tile});
  }
  return missing;
}

}  // namespace

std::int64_t rows_per_shard(std::int64_t shard_bytes, int side) {
  return std::clamp<std::int64_t>(shard_bytes / (std::int64_t{3} * side * side), 1, kMostRows);
}

namespace {

// The parts of a run whose views are drawn as they are wanted, up to the last view that is.
std::vector<RowRun> kept_parts(const RowRun& run, std::int32_t last, const BuildIdentity& then,
                               const BuildIdentity& now) {
  std::vector<RowRun> parts;
  for (std::int32_t view = run.view; view < run.view + run.n && view <= last; ++view) {
    if (view > 0 && then.draw_of(view) != now.draw_of(view)) continue;
    if (parts.empty() || parts.back().view + parts.back().n < view)
      parts.push_back({run.shard, run.row + view - run.view, view, 0, run.tile});
    ++parts.back().n;
  }
  return parts;
}

}  // namespace

void keep_rows(const Previous& previous, Plan& plan) {
  plan.snapshot.shards = previous.snapshot.shards;
  const std::vector<bool> damaged = previous.damaged_shards();
  LiveRows live(previous.snapshot.shards);
  std::unordered_map<Hash128, const LedgerEntry*> before(previous.ledger.size());
  for (const LedgerEntry& entry : previous.ledger) {
    if (entry.state == InputState::stored) before.emplace(entry.picture_hash, &entry);
  }
  for (LedgerEntry& entry : plan.ledger) {
    if (entry.state != InputState::stored) continue;
    const auto known = before.find(entry.picture_hash);
    if (known == before.end()) continue;
    const LedgerEntry& old = *known->second;
    if (old.labels_hash != entry.labels_hash || old.split != entry.split) continue;
    for (const RowRun& run : old.rows) {
      if (damaged.at(static_cast<std::size_t>(run.shard))) continue;
      for (const RowRun& kept :
           kept_parts(run, entry.views, previous.snapshot.identity, plan.snapshot.identity)) {
        entry.rows.push_back(kept);
        live.mark(kept.shard, kept.row, kept.n);
      }
    }
  }
  for (std::size_t i = 0; i < plan.snapshot.shards.size(); ++i) {
    plan.snapshot.shards[i].dead = live.dead(i);
    plan.snapshot.shards[i].channel_sum.clear();  // of the rows that were alive before
  }
  (void)drop_dead_shards(plan.snapshot, plan.ledger);
}

void place_rows(std::deque<PlannedPicture> stored, std::int64_t rows, Plan& plan,
                const TiledRows* tiled) {
  plan.pictures.reserve(stored.size());
  std::map<BatchKey, Batch> batches;
  for (; !stored.empty(); stored.pop_front()) {
    const std::int32_t index = stored.front().entry;
    std::map<BatchKey, std::int32_t> planned;  // the picture, once for each kind of rows
    for (const auto& [key, tile] :
         missing_rows(plan.ledger[static_cast<std::size_t>(index)], tiled, index)) {
      const auto [place, is_new] =
          planned.emplace(key, static_cast<std::int32_t>(plan.pictures.size()));
      if (is_new) plan.pictures.push_back(stored.front());
      Batch& batch = batches[key];
      std::tie(std::ignore, batch.clean, batch.views) = key;
      batch.members.push_back({place->second, tile});
    }
  }
  Placer placer(plan, tiled);
  for (auto& [key, batch] : batches) {
    const std::int64_t views = std::max(batch.views.n, 1);
    batch.group_size = static_cast<std::size_t>(std::max(views, rows / views * views));
    for (std::size_t first = 0, n = 0; first < batch.members.size(); first += n) {
      n = batch.group_from(first);
      placer.group(std::get<0>(key), batch, first, n);
    }
  }
  for (LedgerEntry& entry : plan.ledger) {
    std::ranges::sort(entry.rows, {},
                      [](const RowRun& run) { return std::pair(run.tile, run.view); });
  }
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
