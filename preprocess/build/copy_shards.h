#pragma once
#include <vector>

#include "letterpress/shards/plan.h"
#include "letterpress/shards/store.h"
#include "preprocess/build/build.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// What the shards of a plan are made from. All the caller's, outlive the call.
struct CopyFrom {
  const Store& store;
  const Plan& plan;
  const Hash128& digest;  ///< of the plan
  const Recipe& recipe;
};

/// Makes the repacked shards of the plan that are not `finished`: each row is read, checked against its checksum and written to its new
/// place; nothing is decoded. Several shards at a time, on the calling TBB arena. Stops soon when stop_signal() is set. Throws Error naming
/// the older shard and its row when it is damaged; (io) when writing fails.
void copy_shards(const CopyFrom& from, const std::vector<bool>& finished, BuildListener& listener);

}  // namespace letterpress
