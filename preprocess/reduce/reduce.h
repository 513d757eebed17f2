#pragma once
#include <optional>
#include <vector>

#include "letterpress/base/reject.h"
#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// What map has left behind, put together. Not published yet.
struct Reduced {
  Snapshot snapshot;
  std::vector<LedgerEntry> ledger;
  std::vector<Reject> rejects;  ///< pictures that could not be decoded
  std::int64_t rows_lost = 0;   ///< planned for these
};

/// Reads the records of all shards of the plan: digests, dead rows (their pictures become rejected,
/// with their boxes), accounts, statistics and logical digest. previous: for the channel sums of
/// the rows that are kept. Opens and checks every shard of the snapshot, one after another. The
/// plan gives its ledger and boxes away: memory per picture is what limits the size of a set.
/// Throws Error (busy) when a shard or its record is missing, (data) naming a damaged shard, (bug)
/// when the accounts do not add up.
Reduced reduce(const Store& store, Plan& plan, const Hash128& digest,
               const std::optional<Previous>& previous);

}  // namespace letterpress
