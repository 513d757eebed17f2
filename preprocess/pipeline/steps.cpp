#include "preprocess/pipeline/steps.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/work_folder.h"
#include "preprocess/map/finished_shards.h"
#include "preprocess/map/map.h"
#include "preprocess/pipeline/threads.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/plan_folder.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/reduce/publish.h"
#include "preprocess/reduce/reduce.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

MapReport map_here(const StoredPlan& stored, const PartTask& asked, BuildListener& listener) {
  const auto& [store, plan, digest, terms] = stored;
  const fs::path folder = store.plan_folder(digest);
  const Recipe recipe =
      Recipe::from_json(plan.snapshot.identity.recipe_json, (folder / "plan.h5").string());
  // Not in tmp/, which the next holder of the lock empties: the plan's folder goes with the plan.
  const WorkFolder making(folder, "making-");
  note_parts(stored, asked.part.n, making.path());
  const std::vector<bool> others = shards_of_others(plan, asked.part);
  const MapTask task{store, plan, digest, recipe, making.path(), asked.stop};
  const std::vector<bool> finished = finished_shards(task, listener, others);
  MapReport report;
  for (std::size_t i = 0; i < others.size(); ++i) {
    report.shards += others[i] ? 0 : 1;
    report.resumed += !others[i] && finished[i] ? 1 : 0;
  }
  report.stopped_by = asked.stop.signal();
  if (report.stopped_by) return report;
  check_space(store.folder().string(),
              {.needed = bytes_needed(plan, finished), .free = free_bytes(store.folder())});
  make_shards(task, finished, listener);
  report.stopped_by = asked.stop.signal();
  return report;
}

std::optional<Previous> parent_of(const Store& store, const Plan& plan) {
  if (plan.snapshot.parent == 0) return std::nullopt;
  return Previous{store.snapshot(plan.snapshot.parent), store.ledger(plan.snapshot.parent)};
}

// The same snapshot, published by an earlier run that was ended before it removed the plan.
bool is_published(const Store& store, const Snapshot& newest, StoredPlan& stored) {
  if (newest.generation != stored.plan.snapshot.generation) return false;
  Snapshot reduced =
      reduce(store, stored.plan, stored.digest, parent_of(store, stored.plan)).snapshot;
  reduced.ledger_digest = newest.ledger_digest;  // of a file, known when it is written
  return to_json(reduced) == to_json(newest);
}

void reduce_here(StoredPlan& stored, BuildListener& listener, BuildReport& report) {
  auto& [store, plan, digest, terms] = stored;
  const std::optional<Snapshot> newest = store.latest();
  const std::int64_t generation = newest ? newest->generation : 0;
  report.generation = generation;
  if (generation == plan.snapshot.parent) {
    describe_published(publish(store, reduce(store, plan, digest, parent_of(store, plan)),
                               terms.gates, terms.rejects),
                       report);
  } else if (!newest || !is_published(store, *newest, stored)) {
    throw Error({.where = store.plan_folder(digest).string(),
                 .what = "was planned after snapshot " + std::to_string(plan.snapshot.parent) +
                         ", the newest is " + std::to_string(generation) + " by now",
                 .fix = "plan again"},
                Exit::busy);
  }
  remove_plans(store, plan.snapshot.generation, listener, digest);
}

}  // namespace

MapReport map_part(const PartTask& task, BuildListener& listener) {
  const StoredPlan stored = open_plan(task.plan);
  try {
    return with_threads(task.threads, [&] { return map_here(stored, task, listener); });
  } catch (const InputChanged& change) {
    if (change.cause() == Exit::io) throw Error(change.message(), Exit::io);
    throw Error({.where = "",
                 .what = change.what(),
                 .fix = "the plan is out of date: run `letterpress-preprocess plan` again"},
                Exit::data);
  } catch (const std::exception&) {
    std::error_code ignored;
    if (fs::exists(stored.store.plan_folder(stored.digest) / "plan.h5", ignored)) throw;
  }
  throw Error({.where = task.plan.string(),
               .what = "was published or removed while this part worked",
               .fix = "nothing is left to do for it"},
              Exit::busy);
}

BuildReport reduce_plan(const fs::path& plan, BuildListener& listener) {
  // Locked before it is read, or another one could publish and remove it in between. When there is
  // no store, open_plan() throws.
  std::optional<FileLock> lock;
  if (Store::is_at(store_of_plan(plan))) lock.emplace(Store::open(store_of_plan(plan)).lock());
  StoredPlan stored = open_plan(plan);
  BuildReport report;
  describe_plan(stored.plan, report);
  report.rejects = stored.terms.rejects;
  report.configuration = stored.plan.snapshot.configuration_json;
  reduce_here(stored, listener, report);
  return report;
}

}  // namespace letterpress
