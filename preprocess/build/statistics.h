#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "letterpress/shards/plan.h"
#include "letterpress/shards/snapshot.h"
#include "letterpress/shards/store.h"
#include "preprocess/build/place.h"

namespace letterpress {

/// Largest M, anchors (over the boxes of all train rows, box_sizes()), boxes per class and sizes (over all splits), from the living clean
/// rows. channel_mean stays zero.
Statistics box_statistics(const SnapshotReader& reader);

/// Mean of RGB over the clean train rows: the rows of the new shards exactly, the kept ones with the last snapshot's mean, weighted by
/// their number. Pictures that have left since the last clean build are taken to have been like the others.
std::array<double, 3> channel_mean(const Plan& plan, const std::vector<ShardRecord>& records, const std::optional<Previous>& previous);

}  // namespace letterpress
