#include "preprocess/plan/repack.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "preprocess/plan/row_places.h"

namespace letterpress {
namespace {

using Kind = std::pair<std::string, bool>;  // split, augmented

Kind kind_of(const SnapshotShard& shard) { return {shard.split, shard.augmented}; }

// By position in plan.snapshot.shards: its rows are to be copied.
std::vector<bool> wasteful_shards(std::int64_t rows, const Snapshot& snapshot) {
  std::map<Kind, std::vector<std::size_t>> small;
  std::map<Kind, bool> one_is_dead;
  std::vector<bool> chosen(snapshot.shards.size(), false);
  for (std::size_t i = 0; i < snapshot.shards.size(); ++i) {
    const SnapshotShard& shard = snapshot.shards[i];
    if (shard.digest == Hash128{}) continue;
    const auto dead = static_cast<std::int64_t>(shard.dead.size());
    const bool mostly_dead = 4 * dead > shard.rows;
    if (!mostly_dead && 2 * (shard.rows - dead) >= rows) continue;
    small[kind_of(shard)].push_back(i);
    one_is_dead[kind_of(shard)] |= mostly_dead;
  }
  for (const auto& [kind, shards] : small) {
    if (shards.size() < 2 && !one_is_dead[kind]) continue;
    for (const std::size_t i : shards) chosen[i] = true;
  }
  return chosen;
}

// Fills new shards with the runs of the ledger that lie in chosen ones, shard by shard: whoever
// copies the rows then has one old shard open at a time, however many there are.
class Repacker {
 public:
  Repacker(std::int64_t rows, Plan& plan)
      : rows_(rows), plan_(plan), chosen_(wasteful_shards(rows, plan.snapshot)) {}

  bool has_work() const { return std::ranges::find(chosen_, true) != chosen_.end(); }

  void move_all() {
    std::vector<Moved> moved;
    for (std::size_t entry = 0; entry < plan_.ledger.size(); ++entry) {
      for (RowRun& run : plan_.ledger[entry].rows) {
        const auto from = static_cast<std::size_t>(run.shard);
        if (from < chosen_.size() && chosen_[from])
          moved.push_back({&run, static_cast<std::int32_t>(entry)});
      }
    }
    std::ranges::sort(moved, {},
                      [](const Moved& one) { return std::pair(one.run->shard, one.run->row); });
    for (const Moved& one : moved) move(*one.run, one.entry);
  }

  void leave_out_old() {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (!chosen_[i]) continue;
      SnapshotShard& shard = plan_.snapshot.shards[i];
      shard.dead.resize(static_cast<std::size_t>(shard.rows));
      std::iota(shard.dead.begin(), shard.dead.end(), 0);
    }
    const std::vector<std::int32_t> renumbered = drop_dead_shards(plan_.snapshot, plan_.ledger);
    for (PlannedShard& shard : plan_.shards)
      shard.index = renumbered.at(static_cast<std::size_t>(shard.index));
  }

 private:
  struct Moved {
    RowRun* run;
    std::int32_t entry;
  };

  void move(RowRun& run, std::int32_t entry) {
    const auto from = static_cast<std::size_t>(run.shard);
    PlannedShard& shard = shard_for(kind_of(plan_.snapshot.shards[from]), run.n);
    const std::int32_t source = source_of(run.shard);
    const RowRun old = std::exchange(run, {shard.index, shard.rows(), run.view, run.n, run.tile});
    for (std::int64_t i = 0; i < old.n; ++i) shard.copies.push_back({source, old.row + i, entry});
    SnapshotShard& described = plan_.snapshot.shards[static_cast<std::size_t>(shard.index)];
    described.rows = shard.rows();
    described.max_boxes = std::max(described.max_boxes, most_boxes(from, entry));
  }

  PlannedShard& shard_for(const Kind& kind, std::int64_t n) {
    const auto open = open_.find(kind);
    if (open != open_.end() && plan_.shards[open->second].rows() + n <= rows_)
      return plan_.shards[open->second];
    const std::int32_t group = plan_.shards.empty() ? 0 : plan_.shards.back().group + 1;
    const auto index = static_cast<std::int32_t>(plan_.snapshot.shards.size());
    plan_.snapshot.shards.push_back({.digest = {}, .split = kind.first, .augmented = kind.second});
    open_[kind] = plan_.shards.size();
    plan_.shards.push_back({.index = index,
                            .group = group,
                            .row_picture = {},
                            .row_view = {},
                            .row_tile = {},
                            .copies = {}});
    return plan_.shards.back();
  }

  // A tile has fewer than its picture; how many is not known here.
  int most_boxes(std::size_t from, std::int32_t entry) const {
    if (plan_.snapshot.accounting.tiles) return plan_.snapshot.shards[from].max_boxes;
    return padded_boxes(plan_.ledger[static_cast<std::size_t>(entry)].boxes);
  }

  std::int32_t source_of(std::int32_t shard) {
    const auto [place, is_new] =
        sources_.emplace(shard, static_cast<std::int32_t>(plan_.sources.size()));
    if (is_new)
      plan_.sources.push_back(plan_.snapshot.shards[static_cast<std::size_t>(shard)].digest);
    return place->second;
  }

  std::int64_t rows_;
  Plan& plan_;
  std::vector<bool> chosen_;
  std::map<Kind, std::size_t> open_;              // position in plan.shards
  std::map<std::int32_t, std::int32_t> sources_;  // index in snapshot.shards -> in plan.sources
};

}  // namespace

void repack(std::int64_t rows, Plan& plan) {
  Repacker repacker(rows, plan);
  if (!repacker.has_work()) return;
  repacker.move_all();
  repacker.leave_out_old();
}

}  // namespace letterpress
