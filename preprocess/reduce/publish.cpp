#include "preprocess/reduce/publish.h"

#include "letterpress/base/error.h"
#include "preprocess/options/build_options.h"
#include "preprocess/plan/rename_classes.h"

namespace letterpress {
namespace {

std::optional<Drift> drift_from_parent(const Store& store, const Snapshot& snapshot) {
  if (snapshot.parent == 0) return std::nullopt;
  Statistics before = store.snapshot(snapshot.parent).statistics;
  rename_statistics(before, build_options_from_json(snapshot.configuration_json).renames);
  return drift_between(before, snapshot.statistics);
}

}  // namespace

std::map<std::string, std::int64_t> count_splits(const std::vector<LedgerEntry>& ledger) {
  std::map<std::string, std::int64_t> pictures;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) ++pictures[entry.split];
  }
  return pictures;
}

Published publish(const Store& store, Reduced reduced, const Gates& gates,
                  const std::vector<Reject>& planned_rejects) {
  const Snapshot& snapshot = reduced.snapshot;
  Published published{.generation = snapshot.generation,
                      .accounting = snapshot.accounting,
                      .rejects = std::move(reduced.rejects),
                      .undecodable = 0,
                      .rows_lost = reduced.rows_lost,
                      .drift = {},
                      .pictures_per_split = count_splits(reduced.ledger),
                      .ledger = {}};
  published.undecodable = static_cast<std::int64_t>(published.rejects.size());
  published.rejects.insert(published.rejects.end(), planned_rejects.begin(), planned_rejects.end());
  check_rejects(snapshot.accounting, published.rejects, gates.max_rejects);
  check_train_left(reduced.ledger, snapshot.accounting);
  published.drift = drift_from_parent(store, snapshot);
  if (published.drift) check_drift(*published.drift, gates.max_drift, snapshot.parent);
  store.quarantine(snapshot.generation, published.rejects);
  if (!store.publish(snapshot, reduced.ledger)) {
    throw Error(
        {.where = store.folder().string(),
         .what = "another builder has published snapshot " + std::to_string(snapshot.generation),
         .fix = "run again"},
        Exit::busy);
  }
  published.ledger = std::move(reduced.ledger);
  return published;
}

}  // namespace letterpress
