#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/plan.h"
#include "preprocess/inputs/stat_cache.h"
#include "preprocess/likeness/look_cache.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/compare_previous.h"
#include "preprocess/plan/plan_task.h"

namespace letterpress {

/// What is to be done, and what was seen on the way.
struct PlanResult {
  Plan plan;
  std::optional<StatCache> seen{};   ///< the pictures' files, where they are not as they were known
  std::optional<LookCache> looks{};  ///< what they show, where that had to be found out anew
  std::vector<Reject> rejects;       ///< pictures and boxes
  std::vector<std::string> recognised;
  std::int64_t pictures_removed = 0;  ///< stored in the last snapshot, not in this one
  SplitMoves moved{};                 ///< since the last snapshot
  std::int64_t stated_elsewhere = 0;  ///< pictures of other splits than train before --val SHARE
  bool changed = true;                ///< false: the last snapshot states all of it already
};

/// Label files -> hashes, headers -> duplicates merged -> splits -> what the last snapshot has -> a
/// shard and row for everything else. Reads and compares, writes nothing. Returns an unfinished
/// plan on a stop. Throws Error as build() does: label files, no picture, guards against rejects
/// and removals, another identity than the store's.
PlanResult make_plan(PlanTask task, BuildListener& listener);

}  // namespace letterpress
