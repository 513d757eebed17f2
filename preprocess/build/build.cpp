#include "preprocess/build/build.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/commandline/program.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/build/damaged_shards.h"
#include "preprocess/build/garbage.h"
#include "preprocess/build/guards.h"
#include "preprocess/build/make_plan.h"
#include "preprocess/build/map.h"
#include "preprocess/build/reduce.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// The store that is there; none when there is none yet. Throws early when the folder holds something else.
std::optional<Store> existing_store(const fs::path& folder, bool may_write) {
  if (fs::exists(folder / "FORMAT")) return Store::open(folder);
  const bool is_new = !fs::exists(folder) || (fs::is_directory(folder) && fs::is_empty(folder));
  if (is_new || !may_write) return std::nullopt;
  return Store::create(folder);
}

class Builder {
 public:
  Builder(const BuildOptions& options, BuildListener& listener)
      : options_(options),
        listener_(listener),
        recipe_(Recipe::load(options.recipe).with_depth(parse_depth(options.depth))),
        store_(existing_store(options.store, !options.dry_run)) {
    if (store_ && !options.dry_run) lock_ = store_->lock();
    if (store_) {
      if (auto snapshot = store_->latest()) {
        std::vector<LedgerEntry> ledger = store_->ledger(snapshot->generation);
        previous_ = Previous{std::move(*snapshot), std::move(ledger)};
        if (!options.rebuild) report_.damaged_shards = forget_damaged_shards(*store_, *previous_);
      }
    }
  }

  // known: what is believed of files without reading them.
  BuildReport run(const StatCache& known) {
    PlanResult result = make_plan(options_, recipe_, previous_, known, listener_);
    describe(result);
    if (stop_signal()) return stopped();
    if (options_.dry_run) return report_;
    if (!store_) create_store();
    remember(result.seen);
    if (!result.changed) return report_;

    const Hash128 digest = plan_digest(result.plan);
    const std::vector<bool> finished = begin(result.plan, digest);
    make_shards(*store_, result.plan, digest, finished, recipe_, listener_);
    if (stop_signal()) return stopped();
    publish(reduce(*store_, result.plan, digest, previous_));
    remove_plans(digest);
    return report_;
  }

  StatCache known_files() const { return store_ ? StatCache::load(store_->cache_folder() / "stat") : StatCache(); }

 private:
  BuildReport stopped() {
    report_.stopped_by = stop_signal();
    return report_;
  }

  void create_store() {
    store_ = Store::create(options_.store);
    lock_ = store_->lock();
    if (store_->latest()) throw Error(options_.store.string() + ": another build has just published here; run again", Exit::busy);
  }

  // Only saves reading; a build goes on without it.
  void remember(const StatCache& seen) {
    const fs::path file = store_->cache_folder() / "stat";
    if (seen == StatCache::load(file)) return;
    try {
      seen.save(file);
    } catch (const Error& error) {
      listener_.note(std::string(error.what()) + " (the next build reads every picture again)");
    }
  }

  void describe(PlanResult& result) {
    const Snapshot& snapshot = result.plan.snapshot;
    report_.generation = previous_ ? previous_->snapshot.generation : 0;
    report_.accounting = snapshot.accounting;
    report_.pictures_new = static_cast<std::int64_t>(result.plan.pictures.size());
    report_.pictures_removed = result.pictures_removed;
    report_.shards_new = static_cast<std::int64_t>(result.plan.shards.size());
    report_.rows_new = report_.rows_copied = report_.rows_resumed = 0;
    for (const PlannedShard& shard : result.plan.shards) {
      report_.rows_new += static_cast<std::int64_t>(shard.row_picture.size());
      report_.rows_copied += static_cast<std::int64_t>(shard.copies.size());
    }
    report_.bytes_new = report_.rows_new * 3 * snapshot.identity.side * snapshot.identity.side;
    report_.recognised = std::move(result.recognised);
    report_.rejects = std::move(result.rejects);
    report_.configuration = to_json(options_);
    count_splits(result.plan.ledger);
  }

  void count_splits(const std::vector<LedgerEntry>& ledger) {
    report_.pictures_per_split.clear();
    for (const LedgerEntry& entry : ledger) {
      if (entry.state == InputState::stored) ++report_.pictures_per_split[entry.split];
    }
  }

  std::vector<bool> begin(const Plan& plan, const Hash128& digest) {
    std::vector<bool> finished = finished_shards(*store_, plan, digest, listener_);
    for (std::size_t i = 0; i < finished.size(); ++i) {
      if (finished[i]) report_.rows_resumed += plan.shards[i].rows();
    }
    Space space{.needed = bytes_needed(plan, finished), .free = free_bytes(options_.store), .limit = options_.max_store_bytes};
    for (const SnapshotShard& shard : plan.snapshot.shards) {
      if (shard.digest != Hash128{}) space.held += static_cast<std::int64_t>(fs::file_size(store_->shard_path(shard.digest)));
    }
    check_space(options_.store.string(), space);
    make_folders(store_->plan_folder(digest));
    const fs::path file = store_->plan_folder(digest) / "plan.h5";
    if (fs::exists(file)) return finished;
    TemporaryFile temporary(store_->temporary_folder());
    write_plan(temporary.path(), plan);
    (void)temporary.publish(file);  // equal plans have equal bytes
    return finished;
  }

  void publish(Reduced reduced) {
    report_.rejects.insert(report_.rejects.begin(), reduced.rejects.begin(), reduced.rejects.end());
    check_rejects(reduced.snapshot.accounting, report_.rejects, options_.max_rejects);
    if (previous_) {
      report_.drift = drift_between(previous_->snapshot.statistics, reduced.snapshot.statistics);
      check_drift(*report_.drift, options_.max_drift, previous_->snapshot.generation);
    }
    store_->quarantine(reduced.snapshot.generation, report_.rejects);
    if (!store_->publish(reduced.snapshot, reduced.ledger)) {
      throw Error(store_->folder().string() + ": another builder has published snapshot " + std::to_string(reduced.snapshot.generation) +
                      "; run again",
                  Exit::busy);
    }
    report_.generation = reduced.snapshot.generation;
    report_.accounting = reduced.snapshot.accounting;
    report_.published = true;
    count_splits(reduced.ledger);
  }

  // The published plan, and those that interrupted builds left and nobody has gone on with for a week.
  void remove_plans(const Hash128& published) {
    const fs::path own = store_->plan_folder(published);
    try {
      for (const fs::directory_entry& entry : fs::directory_iterator(own.parent_path())) {
        const auto age = fs::file_time_type::clock::now() - entry.last_write_time();
        if (entry.path() == own || age > kPlanLife) fs::remove_all(entry.path());
      }
    } catch (const fs::filesystem_error& error) {
      listener_.note(std::string(error.what()) + " (the snapshot is published; the plan's folder can be removed by hand)");
    }
  }

  const BuildOptions& options_;
  BuildListener& listener_;
  const Recipe recipe_;
  std::optional<Store> store_;
  std::optional<FileLock> lock_;
  std::optional<Previous> previous_;
  BuildReport report_;
};

BuildReport build_here(const BuildOptions& options, BuildListener& listener) {
  Builder builder(options, listener);
  try {
    return builder.run(builder.known_files());
  } catch (const ChangedUnderfoot& change) {
    listener.note(std::string(change.what()) + "; planning once more");
  }
  return builder.run(StatCache());
}

}  // namespace

BuildReport build(const BuildOptions& options, BuildListener& listener) {
  validate(options);
  const int threads = options.threads > 0 ? options.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute([&] { return build_here(options, listener); });
}

}  // namespace letterpress
