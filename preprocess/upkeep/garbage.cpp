#include "preprocess/upkeep/garbage.h"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/own_file.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/redrawn.h"
#include "letterpress/shards/unpacked_folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

using Needed = std::unordered_set<Hash128>;

void need(const Snapshot& snapshot, Needed& needed) {
  for (const SnapshotShard& shard : snapshot.shards) needed.insert(shard.digest);
}

// What the next build or map would take over from it.
void need(const fs::path& plan_folder, Needed& needed) {
  for (const fs::path& file : entries_of(plan_folder)) {
    if (file.filename() == "plan.h5") {
      const Plan plan = read_plan(file);
      need(plan.snapshot, needed);
      needed.insert(plan.sources.begin(), plan.sources.end());
    } else if (file.extension() == ".json" && file.filename() != "terms.json") {
      try {
        needed.insert(
            shard_record_from_json(read_own_file(file, kMostJsonBytes), file.string()).digest);
      } catch (const Error& error) {
        if (error.exit() != Exit::data)
          throw;  // a damaged record counts as none: its shard is made again
      }
    }
  }
}

class Collector {
 public:
  Collector(const Store& store, const GarbageOptions& options) : store_(store), options_(options) {}

  GarbageReport run() {
    choose_pins();
    choose_snapshots();
    choose_plans();
    if (!options_.dry_run) {
      for (const std::int64_t generation : report_.snapshots) store_.remove_snapshot(generation);
      remove_lone_ledgers();
      need_late_pins();
    }
    choose_shards();
    if (!options_.redrawn_only) choose_unpacked();
    if (options_.dry_run) return std::move(report_);
    for (const fs::path& plan : report_.plans) remove_plan(plan);
    for (const fs::path& shard : report_.shards) remove_file(shard);
    for (const fs::path& archive : report_.unpacked) remove_file(archive);
    for (const fs::path& pin : report_.pins) remove_file(pin);
    return std::move(report_);
  }

 private:
  void choose_pins() {
    const std::int64_t now = std::time(nullptr);
    report_.pins = Pin::unfinished(store_);
    for (const Pin::Holder& holder : Pin::list(store_)) {
      if (holder.expires < now) {
        report_.pins.push_back(holder.file);
      } else {
        pinned_.emplace(holder.generation, "pinned by run " + holder.run + " on " + holder.host);
      }
    }
  }

  std::optional<std::string> why_kept(std::int64_t generation, std::int64_t newer) const {
    if (newer == 0) return "newest";
    if (const auto pin = pinned_.find(generation); pin != pinned_.end()) return pin->second;
    if (options_.redrawn_only) {
      if (is_replaced(generation)) return std::nullopt;
      return "not drawn anew by the next";
    }
    if (newer < options_.keep) return "among the newest " + std::to_string(options_.keep);
    const std::chrono::seconds age(store_.age_s(generation));
    if (age <= options_.older_than)
      return "not older than " + std::to_string(options_.older_than.count()) + " days";
    return std::nullopt;
  }

  // The snapshot after it has its pictures, with other views.
  bool is_replaced(std::int64_t generation) const {
    const std::vector<std::int64_t> all = store_.generations();
    const auto next = std::ranges::upper_bound(all, generation);
    return next != all.end() &&
           is_redrawn(store_, store_.snapshot(generation), store_.snapshot(*next));
  }

  void choose_snapshots() {
    const std::vector<std::int64_t> all = store_.generations();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto why = why_kept(all[i], static_cast<std::int64_t>(all.size() - 1 - i));
      if (why) {
        report_.kept.push_back({all[i], *why});
        need(store_.snapshot(all[i]), needed_);
      } else {
        report_.snapshots.push_back(all[i]);
        if (auto shards = shards_of(all[i])) removed_[all[i]] = std::move(*shards);
      }
    }
  }

  // Of snapshots that a gc removed that was killed then, or that nobody lived to publish.
  void remove_lone_ledgers() const {
    const std::string suffix = ".ledger.h5";
    for (const fs::path& file : entries_of(store_.folder() / "snapshots")) {
      std::string name = file.string();
      if (!name.ends_with(suffix)) continue;
      name.resize(name.size() - suffix.size());
      if (!fs::exists(name + ".json")) remove_file(file);
    }
  }

  // A damaged snapshot that goes anyway needs nothing.
  std::optional<Needed> shards_of(std::int64_t generation) const {
    try {
      Needed shards;
      need(store_.snapshot(generation), shards);
      return shards;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void choose_plans() {
    for (const fs::path& folder : store_.plan_folders()) {
      const auto age = fs::file_time_type::clock::now() - fs::last_write_time(folder);
      if (age > kPlanLife) {
        report_.plans.push_back(folder);
      } else {
        need(folder, needed_);
        spare_since(folder / "plan.h5");
      }
    }
  }

  // Map takes no lock: a shard that is younger than its plan may be one whose record is about to be
  // written.
  void spare_since(const fs::path& plan_file) {
    if (!fs::exists(plan_file)) return;
    const fs::file_time_type planned = fs::last_write_time(plan_file);
    spared_since_ = std::min(spared_since_.value_or(planned), planned);
  }

  // A run that read its snapshot before it was removed and pinned it since goes on with its shards.
  void need_late_pins() {
    for (const Pin::Holder& holder : Pin::list(store_)) {
      const auto removed = removed_.find(holder.generation);
      if (removed != removed_.end() && !std::ranges::count(report_.pins, holder.file))
        needed_.merge(removed->second);
    }
  }

  void choose_shards() {
    std::set<std::string> names;
    for (const Hash128& digest : needed_) names.insert(digest.hex() + ".h5");
    for (const fs::path& shard : entries_of(store_.shards_folder())) {
      if (shard.extension() != ".h5" || names.contains(shard.filename().string())) continue;
      if (spared_since_ && fs::last_write_time(shard) >= *spared_since_) continue;
      report_.shards.push_back(shard);
      report_.bytes += static_cast<std::int64_t>(fs::file_size(shard));
    }
  }

  void choose_unpacked() {
    if (!fs::exists(unpacked_folder(store_.folder()))) return;
    if (spared_since_) return;  // parts of a plan may read there
    report_.unpacked = entries_of(unpacked_folder(store_.folder()));
    for (const fs::path& archive : report_.unpacked)
      report_.unpacked_bytes += static_cast<std::int64_t>(fs::file_size(archive));
  }

  const Store& store_;
  const GarbageOptions& options_;
  GarbageReport report_;
  Needed needed_;
  std::optional<fs::file_time_type> spared_since_;
  std::map<std::int64_t, std::string> pinned_;  // generation -> by whom
  std::map<std::int64_t, Needed> removed_;
};

}  // namespace

void remove_plan(const fs::path& folder) {
  remove_file(folder / "plan.h5");
  sync_folder(folder);
  remove_folder(folder);
}

GarbageReport collect_garbage(const Store& store, const GarbageOptions& options) {
  assert(options.keep >= 1);
  std::optional<FileLock> lock;
  if (!options.dry_run) lock = store.lock();
  return Collector(store, options).run();
}

}  // namespace letterpress
