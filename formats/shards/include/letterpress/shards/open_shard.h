#pragma once
#include <cstddef>

#include "letterpress/shards/shard.h"
#include "letterpress/shards/store.h"

namespace letterpress {

/// One shard of a snapshot, opened and checked, for a caller that needs one at a time:
/// SnapshotReader holds the tables of all. Throws Error naming it when it is missing, damaged, not
/// as the snapshot says, or has a row of a class that the snapshot does not have.
ShardReader open_shard(const Store& store, const Snapshot& snapshot, std::size_t index);

}  // namespace letterpress
