#include "preprocess/pipeline/build.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/inputs/unpacked_folder.h"
#include "preprocess/map/finished_shards.h"
#include "preprocess/map/map.h"
#include "preprocess/pipeline/threads.h"
#include "preprocess/plan/choose_scale.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/make_plan.h"
#include "preprocess/plan/picture_set.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/plan/rename_classes.h"
#include "preprocess/reduce/publish.h"
#include "preprocess/reduce/reduce.h"
#include "preprocess/upkeep/damaged_shards.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// The store that is there; none when there is none yet. Throws early when the folder holds
// something else.
std::optional<Store> existing_store(const fs::path& folder, bool may_write) {
  if (Store::is_at(folder)) return Store::open(folder);
  const bool is_new = !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
  if (is_new || !may_write) return std::nullopt;
  return Store::create(folder);
}

// Pictures of the plan that are stored and were so before, under the same path or with the same
// bytes. now: the plan's ledger, or what became of it.
std::int64_t count_known(const Plan& plan, const std::vector<LedgerEntry>& now,
                         const std::vector<LedgerEntry>& before) {
  PictureSet known(before,
                   [](const LedgerEntry& entry) { return entry.state == InputState::stored; });
  return std::ranges::count_if(plan.pictures, [&](const PlannedPicture& picture) {
    const LedgerEntry& entry = now[static_cast<std::size_t>(picture.entry)];
    return entry.state == InputState::stored && known.has(entry);
  });
}

class Builder {
 public:
  Builder(const BuildOptions& options, BuildListener& listener, const StopRequest& stop)
      : options_(options),
        listener_(listener),
        stop_(stop),
        recipe_(Recipe::load(options.recipe)
                    .with_depth(parse_depth(options.depth))
                    .with_truncated(options.truncated)),
        store_(existing_store(options.store, !options.dry_run)) {
    if (store_ && !options.dry_run) lock_ = store_->lock();
    if (store_) {
      if (auto snapshot = store_->latest()) {
        std::vector<LedgerEntry> ledger = store_->ledger(snapshot->generation);
        check_places(ledger, *snapshot, options.store.string());
        previous_ = Previous{*snapshot, std::move(ledger), snapshot->classes};
        rename_stored(*previous_, options);
      }
    }
    std::optional<TileRule> tiles = tile_rule(options);
    if (tiles && is_scale_chosen(options))
      tiles->scale = scale_of_store(previous_, options).value_or(1);  // until the boxes are known
    recipe_ = std::move(recipe_).with_tiles(tiles);
  }

  // All three steps. known: what is believed of files without reading them.
  BuildReport run(StatCache known) {
    std::optional<Plan> plan = find_work(std::move(known));
    if (!plan) return report_;
    const MapTask task = task_of(*plan);
    make_shards(task, begin(task, false), listener_);
    if (stop_) return stopped();
    Reduced reduced = reduce(*store_, *plan, task.digest, previous_);
    if (previous_) report_.pictures_known = count_known(*plan, reduced.ledger, previous_->ledger);
    describe_published(publish(*store_, std::move(reduced), gates(), report_.rejects), report_);
    remove_plans(*store_, report_.generation, listener_, task.digest);
    return report_;
  }

  // The first of the three steps only.
  BuildReport run_plan(StatCache known) {
    const std::optional<Plan> plan = find_work(std::move(known));
    if (!plan) return report_;
    const MapTask task = task_of(*plan);
    begin(task, true);
    if (stop_) return stopped();
    std::set<std::int32_t> groups;
    for (const PlannedShard& shard : plan->shards) groups.insert(shard.group);
    report_.groups = static_cast<std::int64_t>(groups.size());
    report_.plan = store_->plan_folder(task.digest) / "plan.h5";
    return report_;
  }

  StatCache known_files() const {
    return store_ ? StatCache::load(store_->cache_folder() / "stat") : StatCache();
  }

 private:
  // None when nothing has changed, on a stop, and in a dry run. No cache outlives this: memory per
  // picture is what limits the size of a set.
  std::optional<Plan> find_work(StatCache known) {
    if (previous_ && !options_.rebuild)
      previous_->damaged = find_damaged_shards(*store_, previous_->snapshot, stop_);
    PlanResult result =
        make_plan({options_, recipe_, previous_, std::move(known), stop_}, listener_);
    describe(result);
    if (stop_) {
      stopped();
      return std::nullopt;
    }
    tell_damaged_shards();
    if (options_.dry_run) {
      report_.estimate =
          estimate_build(options_, result.plan, recipe_, tbb::this_task_arena::max_concurrency());
      return std::nullopt;
    }
    if (!store_) create_store();
    if (result.seen) remember(*result.seen);
    if (result.looks) remember(*result.looks);
    if (result.changed) return std::move(result.plan);
    remove_plans(*store_, report_.generation, listener_);  // of a build killed before it did
    return std::nullopt;
  }

  MapTask task_of(const Plan& plan) const {
    return {*store_, plan, plan_digest(plan), recipe_, store_->temporary_folder(), stop_};
  }

  void tell_damaged_shards() {
    report_.damaged_shards.clear();
    if (!previous_) return;
    const std::vector<bool> damaged = previous_->damaged_shards();
    for (std::size_t i = 0; i < damaged.size(); ++i) {
      if (damaged[i])
        report_.damaged_shards.push_back(store_->shard_path(previous_->snapshot.shards[i].digest));
    }
  }

  BuildReport stopped() {
    report_.stopped_by = stop_.signal();
    return report_;
  }

  void create_store() {
    store_ = Store::create(options_.store);
    lock_ = store_->lock();
    if (store_->latest()) {
      throw Error({.where = options_.store.string(),
                   .what = "another build has just published here",
                   .fix = "run again"},
                  Exit::busy);
    }
  }

  // Only saves reading; a build goes on without it.
  void remember(const StatCache& seen) {
    try {
      seen.save(store_->cache_folder() / "stat");
    } catch (const Error& error) {
      listener_.note(std::string(error.what()) + " (the next build reads every picture again)");
    }
  }

  void remember(const LookCache& looks) {
    try {
      looks.save(store_->cache_folder() / "looks");
    } catch (const Error& error) {
      listener_.note(std::string(error.what()) + " (the next build looks at every picture again)");
    }
  }

  void describe(PlanResult& result) {
    report_.generation = previous_ ? previous_->snapshot.generation : 0;
    report_.pictures_known =
        previous_ ? count_known(result.plan, result.plan.ledger, previous_->ledger) : 0;
    report_.pictures_removed = result.pictures_removed;
    report_.moved = std::move(result.moved);
    describe_plan(result.plan, report_);
    report_.recognised = std::move(result.recognised);
    report_.rejects = std::move(result.rejects);
    report_.configuration = to_json(options_);
  }

  Gates gates() const {
    return {.max_rejects = options_.max_rejects, .max_drift = options_.max_drift};
  }

  // Returns which shards are finished already. There is room on the disk for the others, and the
  // plan is where map finds it.
  std::vector<bool> begin(const MapTask& task, bool for_parts) {
    const Plan& plan = task.plan;
    std::vector<bool> finished = finished_shards(task, listener_);
    for (std::size_t i = 0; i < finished.size(); ++i) {
      if (finished[i]) report_.rows_resumed += plan.shards[i].rows();
    }
    if (stop_)
      return finished;  // not all of them were looked for: too much room would be asked for
    Space space{.needed = bytes_needed(plan, finished),
                .free = free_bytes(options_.store),
                .limit = options_.max_store_bytes};
    for (const SnapshotShard& shard : plan.snapshot.shards) {
      if (shard.digest != Hash128{})
        space.held += static_cast<std::int64_t>(fs::file_size(store_->shard_path(shard.digest)));
    }
    check_space(options_.store.string(), space);
    write_plan_folder(*store_, plan, task.digest, {gates(), report_.rejects, for_parts});
    return finished;
  }

  const BuildOptions& options_;
  BuildListener& listener_;
  const StopRequest& stop_;
  Recipe recipe_;
  std::optional<Store> store_;
  std::optional<FileLock> lock_;
  std::optional<Previous> previous_;
  BuildReport report_;
};

}  // namespace

BuildReport build(const BuildOptions& options, BuildListener& listener, const StopRequest& stop) {
  validate(options);
  const UnpackedForDryRun unpacked(options);
  return with_threads(options.threads, [&] {
    Builder builder(options, listener, stop);
    try {
      return builder.run(builder.known_files());
    } catch (const InputChanged& change) {
      listener.note(std::string(change.what()) + "; planning once more");
    }
    return builder.run(StatCache());
  });
}

BuildReport plan(const BuildOptions& options, BuildListener& listener, const StopRequest& stop) {
  validate(options);
  return with_threads(options.threads, [&] {
    Builder builder(options, listener, stop);
    return builder.run_plan(builder.known_files());
  });
}

}  // namespace letterpress
