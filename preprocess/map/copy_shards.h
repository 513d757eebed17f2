#pragma once
#include <vector>

#include "preprocess/map/map_task.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Makes the repacked shards of the plan that are not `finished`: each row is read, checked against
/// its checksum and written to its new place; nothing is decoded. Several shards at a time, on the
/// calling TBB arena. Ends soon on task.stop. Throws Error naming the older shard and
/// its row when it is damaged; (io) when writing fails.
void copy_shards(const MapTask& task, const std::vector<bool>& finished, BuildListener& listener);

}  // namespace letterpress
