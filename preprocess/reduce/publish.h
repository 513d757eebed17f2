#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/store.h"
#include "preprocess/plan/guards.h"
#include "preprocess/reduce/drift.h"
#include "preprocess/reduce/reduce.h"

namespace letterpress {

/// What the store has got.
struct Published {
  std::int64_t generation = 0;
  Accounting accounting;
  std::vector<Reject> rejects;   ///< those that map has found, then those of planning
  std::int64_t undecodable = 0;  ///< pictures among the rejects that map has found
  std::int64_t rows_lost = 0;    ///< planned for these
  std::optional<Drift> drift;    ///< from the parent snapshot; none without one
  std::map<std::string, std::int64_t> pictures_per_split;  ///< stored
  std::vector<LedgerEntry> ledger;
};

/// Stored pictures of each split.
std::map<std::string, std::int64_t> count_splits(const std::vector<LedgerEntry>& ledger);

/// Last step of a build: the quarantine, then the snapshot. planned_rejects: those of planning.
/// Throws Error: (data) too many rejects or too far from the parent snapshot, (busy) that
/// generation is there already, (io).
Published publish(const Store& store, Reduced reduced, const Gates& gates,
                  const std::vector<Reject>& planned_rejects);

}  // namespace letterpress
