#pragma once
#include <optional>
#include <vector>

#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/build/place.h"

namespace letterpress {

/// snapshot.statistics.channel_mean <- mean of RGB over the living clean rows of split train, exactly that of a clean build (0 0 0 without
/// rows), and channel_sum of the shards that hold them. reader: of the same shards. New shards are known from their records, kept ones from
/// the last snapshot's sums less the rows that have died since, which are read; where these sums are not there (older snapshots) or such
/// a row is damaged, the living rows are read. Throws Error naming a row that is damaged then.
void count_channels(const SnapshotReader& reader, const std::vector<ShardRecord>& records, const std::optional<Previous>& previous,
                    Snapshot& snapshot);

}  // namespace letterpress
