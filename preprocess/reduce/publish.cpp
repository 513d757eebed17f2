#include "preprocess/reduce/publish.h"

#include "letterpress/base/error.h"
#include "preprocess/plan/guards.h"
#include "preprocess/plan/rename_classes.h"

namespace letterpress {
namespace {

void count_splits(const std::vector<LedgerEntry>& ledger, BuildReport& report) {
  report.pictures_per_split.clear();
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) ++report.pictures_per_split[entry.split];
  }
}

}  // namespace

void describe_plan(const Plan& plan, BuildReport& report) {
  const std::int64_t side = plan.snapshot.identity.side;
  report.pictures_new = static_cast<std::int64_t>(plan.pictures.size());
  report.shards_new = static_cast<std::int64_t>(plan.shards.size());
  report.rows_new = report.rows_copied = report.rows_resumed = 0;
  for (const PlannedShard& shard : plan.shards) {
    report.rows_new += static_cast<std::int64_t>(shard.row_picture.size());
    report.rows_copied += static_cast<std::int64_t>(shard.copies.size());
  }
  report.bytes_new = report.rows_new * 3 * side * side;
  count_splits(plan.ledger, report);
}

void publish(const Store& store, Reduced reduced, const Gates& gates, BuildReport& report) {
  report.rejects.insert(report.rejects.begin(), reduced.rejects.begin(), reduced.rejects.end());
  check_rejects(reduced.snapshot.accounting, report.rejects, gates.max_rejects);
  if (const std::int64_t parent = reduced.snapshot.parent; parent != 0) {
    Statistics before = store.snapshot(parent).statistics;
    rename_statistics(before, build_options_from_json(reduced.snapshot.configuration_json).renames);
    report.drift = drift_between(before, reduced.snapshot.statistics);
    check_drift(*report.drift, gates.max_drift, parent);
  }
  store.quarantine(reduced.snapshot.generation, report.rejects);
  if (!store.publish(reduced.snapshot, reduced.ledger)) {
    throw Error(store.folder().string() + ": another builder has published snapshot " +
                    std::to_string(reduced.snapshot.generation) + "; run again",
                Exit::busy);
  }
  report.generation = reduced.snapshot.generation;
  report.accounting = reduced.snapshot.accounting;
  report.published = true;
  report.pictures_new -=
      static_cast<std::int64_t>(reduced.rejects.size());  // found out while decoding
  count_splits(reduced.ledger, report);
}

}  // namespace letterpress
