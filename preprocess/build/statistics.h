#pragma once
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"

namespace letterpress {

/// Largest M, anchors (over the boxes of all train rows, box_sizes()), boxes per class and sizes (over all splits), from the living clean
/// rows. channel_mean stays zero: count_channels().
Statistics box_statistics(const SnapshotReader& reader);

}  // namespace letterpress
