#pragma once
#include <vector>

#include "preprocess/map/map_task.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Makes the shards of the plan that are not `finished`: each picture is decoded once, each view
/// drawn and written to its place, each full shard finished and recorded. Runs on the threads of
/// the calling TBB arena; the bytes do not depend on their number. Ends soon on task.stop;
/// finished shards are kept. Throws InputChanged, Error (io) when writing fails.
void make_shards(const MapTask& task, const std::vector<bool>& finished, BuildListener& listener);

}  // namespace letterpress
