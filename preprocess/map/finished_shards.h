#pragma once
#include <vector>

#include "preprocess/map/map_task.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Which shards of the plan an earlier run has finished, by position in plan.shards: record and
/// shard are there and the shard is whole, pixels included. The record of a damaged one, and a
/// damaged record, are removed, so that it is made again; a note says so. Those of `left_out` are
/// returned as finished without a look (empty: none). Ends early on task.stop. Throws Error (io)
/// when one cannot be read, (configuration) when it is of a newer format.
std::vector<bool> finished_shards(const MapTask& task, BuildListener& listener,
                                  const std::vector<bool>& left_out = {});

}  // namespace letterpress
